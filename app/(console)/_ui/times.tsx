// Several times at the end of a row, each with its name: side by side where there is room.
import type { ReactNode } from 'react';

export const Times = ({ children }: { children: ReactNode }) => <dl className="times">{children}</dl>;

export const Time = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

import { Fragment, type ReactNode } from 'react';

/** A text with places where a line may break: by default a path, after each slash and underscore. */
export const markBreaks = (text: string, places = /(?<=[/_])(?=\w|\{)/): ReactNode =>
  text.split(places).map((part, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
    <Fragment key={n}>
      {n > 0 && <wbr />}
      {part}
    </Fragment>
  ));

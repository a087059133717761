import { Fragment, type ReactNode } from 'react';

/** Inserts places at which the browser can break the line: by default after each slash and underscore of a path. */
export const markBreaks = (text: string, places = /(?<=[/_])(?=\w|\{)/): ReactNode =>
  text.split(places).map((part, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have a fixed order
    <Fragment key={n}>
      {n > 0 && <wbr />}
      {part}
    </Fragment>
  ));

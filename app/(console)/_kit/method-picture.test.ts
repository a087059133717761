// Pictures of known services.
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, test } from 'vitest';
import { PRESET_NAMES, type PresetName } from '#lib/catalogue/methods/broker/presets.ts';
import { MethodPicture } from './pieces.tsx';

const markup = (of: PresetName | null) => renderToStaticMarkup(createElement(MethodPicture, { of }));

test.each(PRESET_NAMES)(
  'the picture of %s consists of SVG paths only: no text, no external request',
  (name) => {
    expect(markup(name)).toMatch(
      /^<svg class="method-picture" [^>]*aria-hidden="true" focusable="false">(<path (class="filled" )?d="[\d\sA-Za-z.,-]+"><\/path>)+<\/svg>$/,
    );
    expect(markup(name)).not.toMatch(/style=|href|url\(|#[0-9a-f]{3}/i);
  },
);

it('the picture of each preset is unique, and unknown services have no picture', () => {
  expect(new Set(PRESET_NAMES.map(markup)).size).toBe(PRESET_NAMES.length);
  expect(markup(null)).toBe('');
});

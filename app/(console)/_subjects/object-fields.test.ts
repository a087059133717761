import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { CLIENT_KINDS, newClient } from '#lib/catalogue/clients/definition.ts';
import { defaultsOf, formFields } from '#lib/registry/definition.ts';
import { FormValues } from '../_kit/draft.ts';
import { DefinedFields } from './object-fields.tsx';

it.each(CLIENT_KINDS)(
  'HTML constraint validation: a %s client form with authentication none can be submitted',
  (kind) => {
    const html = renderToStaticMarkup(
      createElement(DefinedFields, {
        fields: formFields(newClient),
        typed: new FormValues(null),
        stored: { ...defaultsOf(newClient), kind, tokenEndpointAuthMethod: 'none' },
      }),
    );
    const radios = html.match(/<input[^>]*type="radio"[^>]*>/g) ?? [];
    const groups = Map.groupBy(radios, (radio) => /name="([^"]*)"/.exec(radio)?.[1]);
    expect(groups.has('tokenEndpointAuthMethod')).toBe(true);
    // each radio button is required, so a group without a selection would block the form, even if it is hidden
    for (const [name, group] of groups)
      expect(
        group.filter((radio) => radio.includes('checked')),
        name,
      ).toHaveLength(1);
  },
);

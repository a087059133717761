import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { CLIENT_KINDS, newClient } from '#lib/registry/clients/client.ts';
import { defaultsOf } from '#lib/registry/fields/definition.ts';
import { formFields } from '#lib/registry/fields/form-fields.ts';
import { FormValues } from '../_visit/form-values.ts';
import { DefinedFields } from './defined-fields.tsx';

it.each(CLIENT_KINDS)(
  'HTML, constraint validation: the form of a %s client that authenticates by none can be sent',
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
    // each is required, so a group without a chosen one would stop the browser, also where it is hidden
    for (const [name, group] of groups)
      expect(
        group.filter((radio) => radio.includes('checked')),
        name,
      ).toHaveLength(1);
  },
);

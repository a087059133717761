import { expect, test } from 'vitest';
import { EVENT_FAMILIES, EVENT_NAMES, eventsMeant, unknownEvent } from './audit-event.ts';

test('a search finds every event by its name, the part before the dot, or the part after it', () => {
  for (const name of EVENT_NAMES) {
    const [family = '', rest = ''] = name.split('.');
    expect(eventsMeant(name)).toEqual([name]);
    for (const typed of [family, `${family}.`, rest, `${family} ${rest}`, name.toUpperCase()])
      expect(eventsMeant(typed), typed).toContain(name);
    expect(EVENT_FAMILIES).toContain(`${family}.`);
  }
});

test.each([
  ['sign_in', ['sign_in.confirmed', 'sign_in.refused', 'sign_in.succeeded']],
  ['Sign in', ['sign_in.confirmed', 'sign_in.refused', 'sign_in.succeeded']],
  ['sign-in.ref', ['sign_in.refused']],
  [' token.re ', ['token.refreshed', 'token.reused', 'token.revoked']],
  ['nothing.of.this', []],
  ['', []],
  ['.', []],
  ['%', []],
])('the search text %j selects the events %j', (typed, names) => {
  expect(eventsMeant(typed)).toEqual(names);
});

test('a search for “refused” selects the refused events of every group', () => {
  expect(eventsMeant('refused')).toEqual(['consent.refused', 'factor.refused', 'sign_in.refused']);
});

test.each([
  ['sing_in', 'No event is called sing_in. Did you mean sign_in.?'],
  ['tokn.issued', 'No event is called tokn.issued. Did you mean token.issued?'],
  ['x'.repeat(5_000), `No event is called ${'x'.repeat(100)}. Choose one of the list.`],
])('a fault names an unknown event and suggests a similar name: %#', (typed, said) => {
  expect(unknownEvent(typed).message).toBe(said);
});

// Test forms of a directory accept a user only for a lookup. They create no session and store nothing.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { givenEmptyRegistry, givenPerson, sql } from '#testing/data/registry.ts';
import {
  BASE,
  DIRECTORY_PASSWORD,
  hasSlapd,
  personEntry,
  SEARCHER,
  type Slapd,
  startSlapd,
} from '#testing/directories/slapd.ts';
import { actorOf, signIn } from '#testing/in-process/console-session.ts';
import type { Context, Outcome } from '../_kit/console-form.ts';
import { findDraft, storeDraft } from '../_kit/draft.ts';
import { Fields } from '../_kit/posted.ts';
import { findResult } from '../_kit/test-result.ts';
import { forms } from '../admin/submit/forms.ts';
import { testPath } from './registry-forms.ts';

const CONTEXT = { area: 'admin', browser: {} } as unknown as Context;

describe.skipIf(!hasSlapd)('connection test in the form of an LDAP directory', () => {
  let slapd: Slapd;
  let actor: ConsoleActor;
  beforeAll(async () => {
    setLogLevel('silent');
    await givenEmptyRegistry();
    await givenPerson('chief', 'administrator');
    actor = await actorOf(await signIn('chief@example.com'));
    slapd = await startSlapd();
    slapd.add(personEntry('ada'));
  });
  afterAll(() => slapd?.close());

  const post = (form: string, more: Record<string, string>): Promise<Outcome> => {
    const fields = new Fields(Object.entries({ id: 'staff', ...more }));
    const found = forms[form];
    if (!found || found.public) throw new Error(`no form ${form}`);
    return found.run(actor, fields, CONTEXT);
  };
  const ldapMethod = () => ({
    ...{ type: 'ldap', name: 'Staff', secret: SEARCHER.password },
    'config.server_kind': 'openldap',
    'config.urls': `ldap://localhost:${slapd.port}`,
    'config.bind_dn': SEARCHER.dn,
    'config.base_dn': BASE,
    'config.allow_private_network': 'on',
  });
  const ADA = { tried_name: 'ada', password: DIRECTORY_PASSWORD };
  const lastOf = (steps: { check: { text: string }; state: string }[] = []) => {
    const { check, state } = steps.at(-1) ?? { check: { text: '' }, state: '' };
    return `${check.text}: ${state}`;
  };
  const methods = () => sql("select config ? 'tried_name' as kept from auth_methods where id = 'staff'");

  test('a method can be tested before it is saved, during editing, and when stored', async () => {
    const tested = async (form: string, fields: Record<string, string>) => {
      const outcome = await post(form, { ...fields, intent: 'test' });
      return outcome.kind === 'tested' ? lastOf(outcome.test.steps) : outcome.kind;
    };
    expect(await tested('method-create', ldapMethod())).toBe('Search base at {server}: ok');
    expect(await tested('method-create', { ...ldapMethod(), ...ADA })).toBe('Sign-in at {server}: ok');
    expect(await tested('method-create', { ...ldapMethod(), ...ADA, password: '' })).toBe(
      'Identity of the person at {server}: ok',
    );
    expect(await methods()).toEqual([]);
    expect((await post('method-create', { ...ldapMethod(), ...ADA })).kind).toBe('done');
    expect(await methods()).toEqual([{ kept: false }]);
    expect(await tested('method-change', { ...ldapMethod(), ...ADA, secret: '' })).toBe(
      'Sign-in at {server}: ok',
    );

    const outcome = await post('method-test', ADA);
    const to = outcome.kind === 'done' ? new URL(outcome.to, 'https://auth.example') : null;
    const result = await findResult(
      to?.searchParams.get('result') ?? undefined,
      `${testPath('staff')}#result`,
      actor,
    );
    expect(lastOf(result?.steps)).toBe('Sign-in at {server}: ok');
    expect(JSON.stringify([to, await sql('select details from audit_events')])).not.toContain(
      DIRECTORY_PASSWORD,
    );
  });

  test('a form draft stores the typed name, never the password', async () => {
    const holder = { actor, cookie: undefined };
    const told = { form: 'method-create', because: 'tested', message: null, faults: {} } as const;
    const stored = await storeDraft(told, new Fields(Object.entries({ ...ldapMethod(), ...ADA })), holder);
    const draft = await findDraft(stored?.id, holder);
    expect(draft?.entries).toContainEqual(['tried_name', 'ada']);
    expect(JSON.stringify(draft)).not.toContain(DIRECTORY_PASSWORD);
  });
});

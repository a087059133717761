// English texts of developer and administrator pages: sentences and displayed tables.
import type { z } from 'zod';
import { api } from '#lib/catalogue/apis/definition.ts';
import { newClient } from '#lib/catalogue/clients/definition.ts';
import { group } from '#lib/catalogue/groups/definition.ts';
import { PRESETS } from '#lib/catalogue/methods/broker/presets.ts';
import { authMethod } from '#lib/catalogue/methods/definition.ts';
import { METHOD_KINDS } from '#lib/catalogue/methods/kinds.ts';
import { editablePerson, person } from '#lib/catalogue/people/definition.ts';
import { PROFILE } from '#lib/catalogue/people/profile.ts';
import { subscriptionTerms } from '#lib/catalogue/subscriptions/definition.ts';
import { FAILURES } from '#lib/management/connection-steps.ts';
import { MAIL_CHECKS, MAIL_DONE } from '#lib/management/connections.ts';
import { STEP_FAULTS, STEP_NOTES, STEP_REASONS } from '#lib/management/explanation.ts';
import { REFUSAL_ERRORS, REFUSAL_REASONS } from '#lib/management/inspector.ts';
import { OPERATOR_TEXTS } from '#lib/management/refused.ts';
import { USAGE_REFUSALS } from '#lib/management/service.ts';
import { EVENTS, eventTitle, GRANT_TITLES } from '#lib/registry/audit-event.ts';
import { OPENID_SCOPES } from '#lib/registry/claims.ts';
import { type FormField, formFields } from '#lib/registry/definition.ts';
import { faultTexts } from './fault-texts.ts';
import { textsOfPage } from './page-texts.ts';
import { isTest, sourcesIn } from './sources.ts';

/** Functions in lib that receive a page sentence. */
const GIVING = new Set(['english']);

/** Unique texts in alphabetical order: keys of `_texts/<language>.json`. */
export function everyText(): string[] {
  const said = ['app/(console)', 'lib'].flatMap((folder) =>
    sourcesIn(folder)
      .filter(({ file }) => !isTest(file))
      .flatMap((source) => textsOfPage(source, folder === 'lib' ? GIVING : undefined).said)
      .map(({ text }) => text),
  );
  return [...new Set([...said, ...textsOfTables()])].sort();
}

/** Returns the texts in tables of lib that pages show. */
function textsOfTables(): string[] {
  return [
    ...faultTexts().templates,
    ...[newClient, api, authMethod, group, person, editablePerson, subscriptionTerms].flatMap(textsOfForm),
    ...METHOD_KINDS.flatMap(({ words, config, secret, choice }) => [
      ...Object.values(words),
      ...textsOfForm(config),
      ...(secret ? [secret.label] : []),
      ...(choice ? textsOfField(choice.field) : []),
    ]),
    ...Object.values(PRESETS).flatMap(({ steps }) => steps),
    ...Object.values(PROFILE).map(({ label }) => label),
    ...OPENID_SCOPES.map(({ description }) => description),
    ...Object.keys(EVENTS).map(eventTitle),
    ...Object.values(EVENTS).map(({ meaning }) => meaning),
    ...leaves(GRANT_TITLES, REFUSAL_REASONS, REFUSAL_ERRORS, USAGE_REFUSALS),
    ...OPERATOR_TEXTS,
    ...leaves(STEP_NOTES, STEP_REASONS, STEP_FAULTS),
    ...leaves(
      FAILURES,
      MAIL_CHECKS,
      Object.values(MAIL_DONE).map(([, found]) => found),
    ),
    ...CONNECTION_TESTS.flatMap((place) =>
      sourcesIn(place)
        .filter(({ file }) => !isTest(file))
        .flatMap(sentencesOf),
    ),
  ];
}

/** Findings of connection tests. */
const CONNECTION_TESTS = [
  'lib/management/connections.ts',
  'lib/management/connection-steps.ts',
  'lib/catalogue/methods',
];

/** Returns the text of each `{ text: '…' }` in a file. */
const sentencesOf = ({ text }: { text: string }): string[] =>
  [...text.matchAll(/\btext:\s+'((?:[^'\\]|\\.)+)'/g)].map(([, found = '']) => found);

const textsOfForm = (object: z.ZodObject): string[] => formFields(object).flatMap(textsOfField);

function textsOfField(field: Partial<FormField>): string[] {
  const { label, hint, note, others, each, group, whenNew, shown, choices, strengths } = field;
  // the unit is omitted, because the audit log shows a duration in words
  const own = [
    label,
    label?.replace(/ \((?:milli)?seconds\)$/, ''),
    hint,
    note,
    others,
    each,
    group,
    whenNew,
  ];
  return [...own.filter((text) => text !== undefined), ...leaves(shown || {}, choices, strengths)];
}

/** Returns the texts of tables, at any depth. */
function leaves(...tables: unknown[]): string[] {
  return tables.flatMap((one) => {
    if (typeof one === 'string') return one === '' ? [] : [one];
    return typeof one === 'object' && one !== null ? leaves(...Object.values(one)) : [];
  });
}

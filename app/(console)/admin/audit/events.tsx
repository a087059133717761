// Audit log event: list row, details, and changes in words per field.
import { isDeepStrictEqual } from 'node:util';
import type { ReactNode } from 'react';
import { inWords as durationInWords } from '#app/_components/pieces.tsx';
import { path } from '#app/(console)/_kit/console-form.ts';
import { RULES_LABEL } from '#app/(console)/_kit/group-rules.ts';
import { type Labels, labelsOf } from '#app/(console)/_kit/in-words.ts';
import { Row } from '#app/(console)/_kit/list.tsx';
import { When } from '#app/(console)/_kit/pieces.tsx';
import { SLOT_LABELS, SLOT_PLACES } from '#app/(console)/_subjects/brand-form.ts';
import { CLAIMS_LABEL, configFields } from '#app/(console)/_subjects/methods.tsx';
import { TERMS_LABELS } from '#app/(console)/_subjects/subscription-terms.tsx';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { ownValue } from '#lib/kit/wire.ts';
import type { AuditEntry } from '#lib/management/audit.ts';
import { api } from '#lib/registry/api.ts';
import { authMethod } from '#lib/registry/auth-method.ts';
import { newClient } from '#lib/registry/client.ts';
import { formFields } from '#lib/registry/definition.ts';
import { group } from '#lib/registry/group.ts';
import { METHOD_TYPES } from '#lib/registry/methods/questions.ts';
import { flatText, TEXT_SLOTS } from '#lib/registry/own-texts.ts';
import { person } from '#lib/registry/person.ts';
import { inWords } from './event-words.ts';

/** Event facts besides the changes. */
export function factsOf({ details, requestId, ip }: AuditEntry): [name: ReactNode, value: string][] {
  const { changed: _, leftOut: __, before, after, ...rest } = details;
  // `before` can be a timestamp instead of old values
  const moments = typeof before === 'string' ? { before } : {};
  return [
    ...Object.entries({ ...rest, ...moments }).map(([name, value]): [ReactNode, string] => [
      <code key={name}>{name}</code>,
      formatValue(value),
    ]),
    ...(requestId ? [[say('request id'), requestId] as [ReactNode, string]] : []),
    ...(ip ? [[say('address'), ip] as [ReactNode, string]] : []),
  ];
}

export function EventFacts({ facts }: { facts: readonly (readonly [ReactNode, string])[] }) {
  return (
    <dl className="facts-table">
      {facts.map(([name, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: facts of one event, in their order
        <div key={at}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Same facts in an expandable list row. */
function EventDetails({ row }: { row: AuditEntry }) {
  const facts = factsOf(row);
  if (facts.length === 0) return null;
  return (
    <details className="request">
      <summary>
        <Say
          text="Details {of}"
          values={{ of: <span className="unseen">{say('of {event}', { event: row.event })}</span> }}
        />
      </summary>
      <EventFacts facts={facts} />
    </details>
  );
}

function formatValue(value: unknown): string {
  if (value === null || value === '') return say('nothing');
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    return value.length === 0 ? say('none') : value.join(', ');
  }
  return JSON.stringify(value);
}

// Event field labels, equal to the object's form.

/** `choices`: labels of values. `of`: location of a page or mail text. */
type FieldWords = {
  label: string;
  of?: { place: string; language: string };
  choices?: Readonly<Record<string, { label: string }>>;
};

const sayField = ({ label, of }: FieldWords): string =>
  of === undefined
    ? say(label)
    : say('{place}: {text} ({language})', { place: say(of.place), text: say(label), language: of.language });

const plainLabels = (labels: Readonly<Record<string, string>>): Labels =>
  Object.fromEntries(Object.entries(labels).map(([name, label]) => [name, { label }]));

const OF: Readonly<Record<string, Labels>> = {
  client: {
    ...plainLabels(toSay({ brand: 'Brand', ownerId: 'Owner', secret: 'Secret' })),
    ...labelsOf(formFields(newClient)),
  },
  api: {
    ...plainLabels(toSay({ brand: 'Brand', introspectionSecret: 'Credential' })),
    ...labelsOf(formFields(api)),
  },
  auth_method: {
    ...plainLabels(toSay({ type: 'Type', secret: 'Secret', claims: CLAIMS_LABEL })),
    ...Object.assign({}, ...METHOD_TYPES.map((type) => labelsOf(configFields(type)))),
    ...labelsOf(formFields(authMethod)),
  },
  group: { ...plainLabels({ from: RULES_LABEL }), ...labelsOf(formFields(group)) },
  person: {
    ...plainLabels(toSay({ picture: 'Picture', locale: 'Language', zoneinfo: 'Time zone' })),
    ...plainLabels(toSay({ emailVerified: 'Address is verified' })),
    ...labelsOf(formFields(person)),
  },
  subscription: {
    ...plainLabels(
      toSay({
        trusted: 'Trusted',
        machine: 'Tokens in its own name',
        device: 'Connects devices',
        scopes: 'Scopes',
      }),
    ),
    ...plainLabels(toSay({ requiredClaim: 'Only for people with the claim' })),
    ...TERMS_LABELS,
  },
};

/** Labels of object value parts. */
const PARTS: Readonly<Record<string, string>> = toSay({
  logo: 'Logo',
  accent: 'Colour',
  accent_dark: 'Colour in the dark theme',
  name: 'Name',
  values: 'Values',
  description: 'Description',
  required_acr: 'Strength of the sign-in',
});

/** Fields without label use their name. */
function wordsOfField(event: string, field: string): FieldWords {
  const [family = ''] = event.split('.');
  const text = flatText(field);
  if (text !== null) {
    const { slot, language } = text;
    return { label: SLOT_LABELS[slot], of: { place: SLOT_PLACES[TEXT_SLOTS[slot].at] ?? '', language } };
  }
  const known = ownValue(ownValue(OF, family) ?? {}, field);
  const { label = spellName(field), choices } = known ?? {};
  // seconds are displayed as duration
  return { label: label.replace(/ \((?:milli)?seconds\)$/, ''), ...(choices && { choices }) };
}

/** An English text for translation; null: a name that the operator chose. */
const wordsOfPart = (part: string): string | null => ownValue(PARTS, part) ?? null;

function spellName(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// Field changes as lines: additions, removals, replacements.

/** `of`: affected value part. `was` null: added; `is` null: removed. */
type Line = { kind: 'values'; of: string | null; was: string | null; is: string | null } | { kind: 'order' };
const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isValues(value) && Object.keys(value).length === 0);

type Field = FieldWords & { name: string };

/** Empty for equal values, ignoring order that the log does not store. */
function linesOf(field: Field, was: unknown, is: unknown): Line[] {
  if (isDeepStrictEqual(was, is)) return [];
  const [old, fresh] = [isNothing(was) ? null : was, isNothing(is) ? null : is];
  if (old === null && fresh === null) return [];
  const isList = (value: unknown) => value === null || Array.isArray(value);
  if (isList(old) && isList(fresh)) return linesOfLists(field, listOf(old), listOf(fresh));
  const [oldKeys, freshKeys] = [keysIn(old), keysIn(fresh)];
  if (oldKeys || freshKeys) return linesOfLists(field, oldKeys ?? [], freshKeys ?? []);
  if (isValues(old) || isValues(fresh)) return linesOfParts(field, partsOf(old), partsOf(fresh));
  // unselected choices also have labels
  const isNone = (value: unknown) => value === null && !Object.hasOwn(field.choices ?? {}, '');
  const value = (one: unknown) => (isNone(one) ? null : formatField(field, one ?? ''));
  return [line(null, value(old), value(fresh))];
}

const line = (of: string | null, was: string | null, is: string | null): Line => ({
  kind: 'values',
  of,
  was,
  is,
});

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Of a JWK Set. */
const keysIn = (value: unknown): unknown[] | null =>
  isValues(value) && Array.isArray(value['keys']) ? value['keys'] : null;

/** Text without a language has no part beside multilingual text. */
const partsOf = (value: unknown): Values => (isValues(value) ? value : value === null ? {} : { '': value });

function linesOfLists(field: Field, old: unknown[], fresh: unknown[]): Line[] {
  const byName = (list: unknown[]) => new Map(list.map((one) => [nameOf(field, one), one]));
  const [before, after] = [byName(old), byName(fresh)];
  const lines = [
    ...[...after].flatMap(([name, one]) => (before.has(name) ? [] : [line(null, null, whole(name, one))])),
    ...[...before].flatMap(([name, one]) => (after.has(name) ? [] : [line(null, whole(name, one), null)])),
    ...[...after].flatMap(([name, one]) => {
      const known = before.get(name);
      if (!isValues(known) || !isValues(one) || isDeepStrictEqual(known, one)) return [];
      return linesOfParts(field, known, one, name);
    }),
  ];
  return lines.length === 0 ? [{ kind: 'order' }] : lines;
}

function nameOf(field: Field, one: unknown): string {
  if (!isValues(one)) return formatField(field, one);
  const name = one['name'] ?? one['kid'];
  return typeof name === 'string' ? name : JSON.stringify(one);
}

const whole = (name: string, one: unknown): string => {
  const description = isValues(one) ? one['description'] : undefined;
  return isNothing(description) ? name : `${name} (${plainValue(description)})`;
};

function linesOfParts(field: Field, old: Values, fresh: Values, within: string | null = null): Line[] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  return names.flatMap((name) => {
    const [was, is] = [old[name] ?? null, fresh[name] ?? null];
    if (isDeepStrictEqual(was, is)) return [];
    const known = wordsOfPart(name);
    const part = [within, known === null ? name : say(known)].filter(Boolean).join(', ');
    const value = (one: unknown) =>
      isNothing(one) ? null : isPicture(name) ? pictureName(one) : formatField(field, one);
    return [line(part || null, value(was), value(is))];
  });
}

/** Addresses of stored logos contain a long hash. */
const isPicture = (part: string) => part === 'logo';
const pictureName = (one: unknown) => String(one).replace(/^(\/logo\/.{8}).*/, '$1…');

function formatField({ name, choices = {} }: Field, value: unknown): string {
  if (typeof value === 'boolean') return value ? say('yes') : say('no');
  const chosen = new Map(Object.entries(choices)).get(String(value));
  if (chosen) return say(chosen.label);
  if (typeof value === 'number' && name.endsWith('Seconds')) return durationInWords(value);
  if (typeof value === 'number' && name.endsWith('_ms')) return `${value} ms`;
  return plainValue(value);
}

/** Formats multilingual texts and nested lists. */
function plainValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainValue).join(', ');
  if (!isValues(value)) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${plainValue(one)}`)
    .join('; ');
}

// Event changes, in words per field.

type Values = Readonly<Record<string, unknown>>;
const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type FieldChange = {
  name: string;
  label: string;
  lines: Line[];
  /** why there are no lines */
  untold: string | null;
  /** the event created the object: initial values */
  isNew: boolean;
};

type Of = { event: string; details: Values };

/** Empty for events without changes. Creation events list initial values. */
export function changesIn({ event, details: { before, after, changed, leftOut } }: Of): FieldChange[] {
  const [old, fresh] = [isValues(before) ? before : {}, isValues(after) ? after : {}];
  const isNew = !isValues(before);
  const [named, long] = [namesIn(changed), new Set(namesIn(leftOut))];
  const names = [...new Set([...named, ...Object.keys(old), ...Object.keys(fresh), ...long])];
  return names.flatMap((name) => {
    const words = wordsOfField(event, name);
    const isKept = name in old || name in fresh;
    const lines = isKept ? linesOf({ name, ...words }, old[name] ?? null, fresh[name] ?? null) : [];
    // omits unset values of new objects
    if (isNew && isKept && (lines.length === 0 || fresh[name] === false)) return [];
    // an invisible change means reordering, which the log omits
    const shown: Line[] = isKept && lines.length === 0 ? [{ kind: 'order' }] : lines;
    return [{ name, label: sayField(words), lines: shown, untold: untold(isKept, long.has(name)), isNew }];
  });
}

const namesIn = (list: unknown): string[] => (Array.isArray(list) ? list.map(String) : []);

function untold(isKept: boolean, isLong: boolean): string | null {
  if (isKept) return null;
  return isLong
    ? say('Changed. The values are too long to log.')
    : say('Changed. The log does not contain its value.');
}

/** Maximum value length in event lists. */
const CUT = 160;

type ChangesProps = { changes: readonly FieldChange[]; isWhole?: boolean };

export function Changes({ changes, isWhole = false }: ChangesProps) {
  if (changes.length === 0) return null;
  return (
    <dl className="facts-table changes">
      {changes.map(({ name, label, lines, untold: why, isNew }) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd>
            {why}
            {lines.map((line) => (
              <ChangedLine key={JSON.stringify(line)} line={line} {...{ isWhole, isNew }} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

type LineProps = { line: Line; isWhole: boolean; isNew: boolean };

function ChangedLine({ line, isWhole, isNew }: LineProps) {
  if (line.kind === 'order') return <p>{say('in another order')}</p>;
  const { of, was, is } = line;
  const value = (text: string) => (isWhole ? text : cut(text));
  const old = was === null ? null : <del>{value(was)}</del>;
  const fresh = is === null ? null : <ins>{value(is)}</ins>;
  const change = isNew ? fresh : <Change old={old} fresh={fresh} />;
  return (
    <p>{of === null ? change : <Say text="{part}: {change}" values={{ part: <bdi>{of}</bdi>, change }} />}</p>
  );
}

function Change({ old, fresh }: { old: ReactNode; fresh: ReactNode }) {
  if (old === null) return <Say text="added {value}" values={{ value: fresh }} />;
  if (fresh === null) return <Say text="removed {value}" values={{ value: old }} />;
  return <Say text="{was} → {is}" values={{ was: old, is: fresh }} />;
}

function cut(text: string): string {
  const letters = Array.from(text);
  return letters.length > CUT ? `${letters.slice(0, CUT - 1).join('')}…` : text;
}

/** Maximum number of fields in a list row; the event's page shows all. */
const MOST = 4;

export const eventPath = (id: string) => path('admin', 'audit', id);

export function EventItem({ row }: { row: AuditEntry }) {
  const changes = changesIn(row);
  const more = changes.length - MOST;
  return (
    <Row title={say(inWords(row.event))} pills={<code>{row.event}</code>} side={<When at={row.at} />}>
      <Involved row={row} />
      <Changes changes={changes.slice(0, MOST)} />
      {changes.length > 0 && (
        <p>
          <a href={eventPath(row.id)}>
            <Say
              text="{more, plural, =0 {Full change} one {Full change, with # more field} other {Full change, with # more fields}}{name}"
              values={{ more: Math.max(0, more), name: <span className="unseen"> ({row.event})</span> }}
            />
          </a>
        </p>
      )}
      <EventDetails row={row} />
    </Row>
  );
}

/** Who did it, and to what. */
export function Involved({ row }: { row: AuditEntry }) {
  const { actor, personId, clientId, apiId, authMethodId } = row;
  const person = personId !== null && personId !== actor;
  return (
    <p className="dots">
      {actor !== null && (
        <span>
          <Say text="by {who}" values={{ who: <Who id={actor} label={row.actorEmail} /> }} />
        </span>
      )}
      {person && (
        <span>
          <Say text="to {who}" values={{ who: <Who id={personId} label={row.personEmail} /> }} />
        </span>
      )}
      {clientId !== null && (
        <span>
          <Say
            text="client {id}"
            values={{ id: <a href={path('admin', 'clients', clientId)}>{clientId}</a> }}
          />
        </span>
      )}
      {apiId !== null && (
        <span>
          <Say text="API {id}" values={{ id: <a href={path('admin', 'apis', apiId)}>{apiId}</a> }} />
        </span>
      )}
      {authMethodId !== null && (
        <span>
          <Say
            text="method {id}"
            values={{ id: <a href={path('admin', 'auth-methods', authMethodId)}>{authMethodId}</a> }}
          />
        </span>
      )}
    </p>
  );
}

function Who({ id, label }: { id: string; label: string | null }) {
  const known = label !== null || /^[0-9a-f]{8}-/.test(id);
  if (!known) return <>{id}</>;
  return (
    <a href={path('admin', 'people', id)}>
      <bdi>{label ?? `${id.slice(0, 8)}…`}</bdi>
    </a>
  );
}

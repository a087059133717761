// An event of the audit log: its row in the list, its details, and its changes in words, by field.
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
import { withoutUnit } from '#app/(console)/_subjects/object-facts.tsx';
import { TERMS_LABELS } from '#app/(console)/_subjects/subscription-terms.tsx';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { api } from '#lib/catalogue/apis/definition.ts';
import { newClient } from '#lib/catalogue/clients/definition.ts';
import { group } from '#lib/catalogue/groups/definition.ts';
import { authMethod } from '#lib/catalogue/methods/definition.ts';
import { METHOD_TYPES } from '#lib/catalogue/methods/questions.ts';
import { person } from '#lib/catalogue/people/definition.ts';
import { PROFILE } from '#lib/catalogue/people/profile.ts';
import { ownValue } from '#lib/kit/wire.ts';
import type { AuditEntry } from '#lib/management/audit.ts';
import { eventTitle } from '#lib/registry/audit-event.ts';
import { formFields } from '#lib/registry/definition.ts';
import { flatText, TEXT_SLOTS } from '#lib/registry/own-texts.ts';

/** Facts about an event, in addition to its changes. */
export function factsOf({ details, requestId, ip }: AuditEntry): [name: ReactNode, value: string][] {
  const { changed: _, leftOut: __, before, after, ...rest } = details;
  // `before` can be a time (the start of a period) instead of the old values
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

/** Expandable list row with facts about one audit event. */
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
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return value.length === 0 ? say('none') : value.join(', ');
  }
  return JSON.stringify(value);
}

// Labels of an event's fields, the same as in the form of the object.

/** `choices`: labels of values. `of`: the page or mail that contains the text. */
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
    ...PROFILE,
    ...plainLabels(
      toSay({ emailVerified: 'Address is verified', joined: 'Groups joined', left: 'Groups left' }),
    ),
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

/** Labels for the parts of a value that is an object. */
const PARTS: Readonly<Record<string, string>> = toSay({
  logo: 'Logo',
  accent: 'Colour',
  accent_dark: 'Colour in the dark theme',
  name: 'Name',
  values: 'Values',
  description: 'Description',
  required_acr: 'Strength of the sign-in',
});

/** Returns the labels of a field. If no label is defined, the label is derived from the name of the field. */
function wordsOfField(event: string, field: string): FieldWords {
  const [family = ''] = event.split('.');
  const text = flatText(field);
  if (text !== null) {
    const { slot, language } = text;
    return { label: SLOT_LABELS[slot], of: { place: SLOT_PLACES[TEXT_SLOTS[slot].at] ?? '', language } };
  }
  const fieldWords = ownValue(ownValue(OF, family) ?? {}, field);
  const { label = spellName(field), choices } = fieldWords ?? {};
  // durations are displayed in words, so the label must not name the unit
  return { label: withoutUnit(label), ...(choices && { choices }) };
}

/** An English text for translation; null: the operator chose the name. */
const wordsOfPart = (part: string): string | null => ownValue(PARTS, part) ?? null;

function spellName(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// Changes of a field as lines: additions, removals and replacements.

/**
 * A line of a change. `of`: the part of the value that changed. `was` null: it was added. `is` null: it was removed.
 */
type Line = { kind: 'values'; of: string | null; was: string | null; is: string | null } | { kind: 'order' };
const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isValues(value) && Object.keys(value).length === 0);

type Field = FieldWords & { name: string };

/** Returns an empty list if the values are equal. The order is ignored, because the log does not store it. */
function linesOf(field: Field, was: unknown, is: unknown): Line[] {
  if (isDeepStrictEqual(was, is)) return [];
  const [old, fresh] = [isNothing(was) ? null : was, isNothing(is) ? null : is];
  if (old === null && fresh === null) return [];
  const isList = (value: unknown) => value === null || Array.isArray(value);
  if (isList(old) && isList(fresh)) return linesOfLists(field, listOf(old), listOf(fresh));
  const [oldKeys, freshKeys] = [keysIn(old), keysIn(fresh)];
  if (oldKeys || freshKeys) return linesOfLists(field, oldKeys ?? [], freshKeys ?? []);
  if (isValues(old) || isValues(fresh)) return linesOfParts(field, partsOf(old), partsOf(fresh));
  // null is shown as a value if the field has a label for "no choice"
  const isNone = (value: unknown) => value === null && !Object.hasOwn(field.choices ?? {}, '');
  const value = (fieldValue: unknown) => (isNone(fieldValue) ? null : formatField(field, fieldValue ?? ''));
  return [line(null, value(old), value(fresh))];
}

const line = (of: string | null, was: string | null, is: string | null): Line => ({
  kind: 'values',
  of,
  was,
  is,
});

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Returns the keys of a JWK Set; null if the value is no JWK Set. */
const keysIn = (value: unknown): unknown[] | null =>
  isValues(value) && Array.isArray(value['keys']) ? value['keys'] : null;

/**
 * A value that is one text without a language gets an empty key, so that it can be compared with texts by language.
 */
const partsOf = (value: unknown): Values => (isValues(value) ? value : value === null ? {} : { '': value });

function linesOfLists(field: Field, old: unknown[], fresh: unknown[]): Line[] {
  const byName = (list: unknown[]) => new Map(list.map((item) => [nameOf(field, item), item]));
  const [before, after] = [byName(old), byName(fresh)];
  const lines = [
    ...[...after].flatMap(([name, one]) => (before.has(name) ? [] : [line(null, null, whole(name, one))])),
    ...[...before].flatMap(([name, one]) => (after.has(name) ? [] : [line(null, whole(name, one), null)])),
    ...[...after].flatMap(([name, one]) => {
      const oldItem = before.get(name);
      if (!isValues(oldItem) || !isValues(one) || isDeepStrictEqual(oldItem, one)) return [];
      return linesOfParts(field, oldItem, one, name);
    }),
  ];
  return lines.length === 0 ? [{ kind: 'order' }] : lines;
}

function nameOf(field: Field, item: unknown): string {
  if (!isValues(item)) return formatField(field, item);
  const name = item['name'] ?? item['kid'];
  return typeof name === 'string' ? name : JSON.stringify(item);
}

const whole = (name: string, item: unknown): string => {
  const description = isValues(item) ? item['description'] : undefined;
  return isNothing(description) ? name : `${name} (${plainValue(description)})`;
};

function linesOfParts(field: Field, old: Values, fresh: Values, within: string | null = null): Line[] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  return names.flatMap((name) => {
    const [was, is] = [old[name] ?? null, fresh[name] ?? null];
    if (isDeepStrictEqual(was, is)) return [];
    const partWords = wordsOfPart(name);
    const part = [within, partWords === null ? name : say(partWords)].filter(Boolean).join(', ');
    const value = (partValue: unknown) =>
      isNothing(partValue) ? null : isPicture(name) ? pictureName(partValue) : formatField(field, partValue);
    return [line(part || null, value(was), value(is))];
  });
}

/** The address of a stored logo contains a long hash, so the log shows no address. */
const isPicture = (part: string) => part === 'logo';
const pictureName = (picture: unknown) => String(picture).replace(/^(\/logo\/.{8}).*/, '$1…');

function formatField({ name, choices = {} }: Field, value: unknown): string {
  if (typeof value === 'boolean') return value ? say('yes') : say('no');
  const chosen = new Map(Object.entries(choices)).get(String(value));
  if (chosen) return say(chosen.label);
  if (typeof value === 'number' && name.endsWith('Seconds')) return durationInWords(value);
  if (typeof value === 'number' && name.endsWith('_ms')) return `${value} ms`;
  return plainValue(value);
}

/** Formats texts in several languages, and nested lists. */
function plainValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainValue).join(', ');
  if (!isValues(value)) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${plainValue(one)}`)
    .join('; ');
}

// Changes of an event in words, by field.

type Values = Readonly<Record<string, unknown>>;
const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type FieldChange = {
  name: string;
  label: string;
  lines: Line[];
  /** the reason why no lines are shown; null if there are lines */
  untold: string | null;
  /** the event created the object, so the lines show its first values */
  isNew: boolean;
};

type Of = { event: string; details: Values };

/** Empty if the event changed nothing. An event of a creation lists the first values. */
export function changesIn({ event, details: { before, after, changed, leftOut } }: Of): FieldChange[] {
  const [old, fresh] = [isValues(before) ? before : {}, isValues(after) ? after : {}];
  const isNew = !isValues(before);
  const [named, long] = [namesIn(changed), new Set(namesIn(leftOut))];
  const names = [...new Set([...named, ...Object.keys(old), ...Object.keys(fresh), ...long])];
  return names.flatMap((name) => {
    const words = wordsOfField(event, name);
    const isKept = name in old || name in fresh;
    const lines = isKept ? linesOf({ name, ...words }, old[name] ?? null, fresh[name] ?? null) : [];
    // omits values that a new object does not set
    if (isNew && isKept && (lines.length === 0 || fresh[name] === false)) return [];
    // a change without lines changed only the order, which the log does not store
    const changeLines: Line[] = isKept && lines.length === 0 ? [{ kind: 'order' }] : lines;
    return [
      { name, label: sayField(words), lines: changeLines, untold: untold(isKept, long.has(name)), isNew },
    ];
  });
}

const namesIn = (list: unknown): string[] => (Array.isArray(list) ? list.map(String) : []);

function untold(isKept: boolean, isLong: boolean): string | null {
  if (isKept) return null;
  return isLong
    ? say('Changed. The values are too long to log.')
    : say('Changed. The log does not contain its value.');
}

/** Maximum length of a value in the list of events. */
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

/** Maximum number of fields in a row of the list. The page of the event shows all fields. */
const MOST = 4;

export const eventPath = (id: string) => path('admin', 'audit', id);

export function EventItem({ row }: { row: AuditEntry }) {
  const changes = changesIn(row);
  const more = changes.length - MOST;
  return (
    <Row title={say(eventTitle(row.event))} pills={<code>{row.event}</code>} side={<When at={row.at} />}>
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

/** The actor and the object of the event. */
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
  const isKnown = label !== null || /^[0-9a-f]{8}-/.test(id);
  if (!isKnown) return <>{id}</>;
  return (
    <a href={path('admin', 'people', id)}>
      <bdi>{label ?? `${id.slice(0, 8)}…`}</bdi>
    </a>
  );
}

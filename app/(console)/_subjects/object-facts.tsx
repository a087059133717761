// Facts about an object, generated from its definition: a new setting appears on the page of the object automatically.
import { isDeepStrictEqual } from 'node:util';
import { Fragment, type ReactNode } from 'react';
import type { FormField } from '#lib/registry/definition.ts';
import { type DisplayText, plainText } from '#lib/registry/display-text.ts';
import { Fact } from '../_kit/pieces.tsx';
import { lasts, say } from '../_texts/say.tsx';

type DefinedFactsProps = {
  fields: readonly FormField[];
  /** values by name of the field */
  of: Readonly<Record<string, unknown>>;
  /** default values; only other values are shown, except for fields that the definition always shows */
  defaults: Readonly<Record<string, unknown>>;
  /** for fields that contain ids: the address of the list with the objects */
  links?: Readonly<Record<string, string>>;
};

/** The settings of an object that differ from the defaults, in the order of the definition. */
export function DefinedFacts({ fields, of, defaults, links = {} }: DefinedFactsProps): ReactNode {
  const groups = Map.groupBy(fields, ({ name, group }) => group ?? name);
  return [...groups].flatMap(([heading, [field, ...more]]): ReactNode[] => {
    if (field?.group === undefined) return field ? factsOf(field, { of, defaults, links }) : [];
    const parts = [field, ...more].flatMap(({ name, label }) => {
      if (of[name] === true) return [say(label)];
      return isUsual(name, { of, defaults }) ? [] : [`${say(label)}: ${say('Off')}`];
    });
    return parts.length === 0
      ? []
      : [
          <Fact key={heading} name={say(heading)}>
            {parts.join('; ')}
          </Fact>,
        ];
  });
}

/** True if a checkbox has its default value. */
const isUsual = (name: string, { of, defaults }: Pick<DefinedFactsProps, 'of' | 'defaults'>) =>
  of[name] === undefined || of[name] === null || of[name] === (defaults[name] ?? false);

/** The label of a number without its unit, for values that include the unit. */
export const withoutUnit = (label: string): string => label.replace(/ \((?:milli)?seconds\)$/, '');

function factsOf(
  field: FormField,
  { of, defaults, links }: Required<Omit<DefinedFactsProps, 'fields'>>,
): ReactNode[] {
  const { name, shown, as, kind } = field;
  const [value, link] = [of[name], links[name]];
  const label = say(
    (shown || {}).label ?? (name.endsWith('Seconds') ? withoutUnit(field.label) : field.label),
  );
  const fact = (content: ReactNode, term = label) => (
    <Fact key={`${name} ${term}`} name={term}>
      {content}
    </Fact>
  );
  if (shown === false) return [];
  if (kind === 'checkbox')
    return isUsual(name, { of, defaults }) ? [] : [fact(value === true ? say('On') : say('Off'))];
  if (isEmpty(value)) {
    if (shown?.empty !== undefined) return [fact(say(shown.empty))];
    return value === undefined || isEmpty(defaults[name]) ? [] : [fact(say('none'))];
  }
  if (shown === undefined && isDeepStrictEqual(value, defaults[name])) return [];
  if (as !== 'groups') return [fact(formatValue(field, value, link))];
  return Object.entries(value as Readonly<Record<string, string[]>>).map(([one, ids]) =>
    fact(ids.length === 0 ? say('no group') : <Ids of={ids} at={link} />, `${label}: ${one}`),
  );
}

const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

function formatValue(
  { kind, name, as, isText, choices = {} }: FormField,
  value: unknown,
  link?: string,
): ReactNode {
  if (kind === 'choice') {
    const { label = String(value), note = '' } = choices[String(value)] ?? {};
    return (
      <>
        {say(label)} {note && <span className="soft">{say(note)}</span>}
      </>
    );
  }
  if (kind === 'number') return name.endsWith('Seconds') ? lasts(Number(value)) : String(value);
  if (isText) return plainText(value as DisplayText);
  if (kind === 'list') return <Ids of={(value as unknown[]).map(String)} at={link} />;
  return <code>{as === 'json' || typeof value === 'object' ? JSON.stringify(value) : String(value)}</code>;
}

/** Values of a list, each with a link if `at` contains the address of the list with the objects. */
export const Ids = ({ of, at }: { of: readonly string[]; at?: string | undefined }) =>
  of.map((id, nth) => (
    <Fragment key={id}>
      {nth > 0 && ', '}
      {at === undefined ? <code>{id}</code> : <a href={`${at}/${encodeURIComponent(id)}`}>{id}</a>}
    </Fragment>
  ));

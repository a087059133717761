// The rows of a definition's field: scopes, and names with the ids of their groups.
import type { DisplayText } from '#lib/registry/fields/display-text.ts';
import type { FormField } from '#lib/registry/fields/form-fields.ts';
import type { Pair } from '../_forms/fields.ts';
import { typedText } from '../_forms/texts.ts';
import { say } from '../_texts/say.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import { PairsField } from './pairs-field.tsx';

/** `field`: in the reader's language */
type DefinedPairsProps = { field: FormField; name: string; value: unknown; typed: FormValues };

export function DefinedPairs({ field, name, value, typed }: DefinedPairsProps) {
  const { label, hint, each = '', placeholder = '', strengths, inGroups } = field;
  const isMap = field.as === 'groups';
  const pairs = isMap
    ? Object.entries((value ?? {}) as Readonly<Record<string, string[]>>).map(([one, ids]) => ({
        name: one,
        description: ids.join(' '),
      }))
    : ((value ?? []) as Scope[]).map(rowOf);
  const rows = { values: typed.pairs(name, pairs), meanwhile: typed.meanwhilePairs(name, pairs) };
  if (isMap)
    return (
      <PairsField
        {...{ name, label, hint, each, ...rows }}
        placeholders={{ name: placeholder, description: 'staff-editors' }}
        byName
      />
    );
  return (
    <PairsField
      {...{ name, label, hint, each, inGroups, ...rows }}
      placeholders={{ name: 'orders:read', description: say('See your orders') }}
      {...(strengths ? { strengths } : {})}
      inLanguages
    />
  );
}

type Scope = Omit<Pair, 'description' | 'language' | 'texts' | 'groups'> & {
  description: DisplayText;
  groups?: readonly string[];
};

function rowOf({ description, groups, ...rest }: Scope): Pair {
  const { first, language, lines } = typedText(description);
  const more = { ...(language && { language }), ...(lines && { texts: lines }) };
  return { ...rest, description: first, ...more, ...(groups && { groups: groups.join(' ') }) };
}

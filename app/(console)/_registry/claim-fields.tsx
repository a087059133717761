// What people of a verifier or broker have beside a name and an address: rows of our name of a claim and theirs.

import type { Fields } from '../_forms/fields.ts';
import { PairsField } from '../_objects/pairs-field.tsx';
import { say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { Fact } from '../_ui/pieces.tsx';
import type { FormValues } from '../_visit/form-values.ts';

const CLAIMS = 'config.claims';
export const CLAIMS_LABEL = toSay('Claims of its people');

type Config = Readonly<Record<string, unknown>>;
const mapIn = (config: Config) =>
  Object.entries(config['claims'] ?? {}).map(([name, member]) => ({ name, description: String(member) }));

/** The same on the method's page. */
export function ClaimFacts({ config }: { config: Config }) {
  const map = mapIn(config).map(({ name, description }) => `${name}: ${description}`);
  return (
    <>
      {map.length > 0 && (
        <Fact name={say('Claims')}>
          <code>{map.join(', ')}</code>
        </Fact>
      )}
      {config['trust_email'] === true && (
        <Fact name={say('E-mail addresses')}>{say('count as verified')}</Fact>
      )}
    </>
  );
}

type ClaimFieldsProps = { typed: FormValues; config: Config };

export function ClaimFields({ typed, config }: ClaimFieldsProps) {
  const stored = mapIn(config);
  return (
    <PairsField
      name={CLAIMS}
      label={say(CLAIMS_LABEL)}
      hint={say('Our name of a claim, and the name that it has there.')}
      each={say('claim')}
      placeholders={{ name: 'groups', description: 'memberOf' }}
      values={typed.pairs(CLAIMS, stored)}
      meanwhile={typed.meanwhilePairs(CLAIMS, stored)}
    />
  );
}

/** The map that was typed. */
export const claimsOfForm = (typed: Fields): Record<string, string> =>
  Object.fromEntries(typed.pairs(CLAIMS).map(({ name, description }) => [name, description]));

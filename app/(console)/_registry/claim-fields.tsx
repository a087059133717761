// What people of a verifier or broker have besides a name and an address: rows of our name of a claim and theirs.
import { Check } from '../_ui/choices.tsx';
import { PairsField } from '../_ui/pairs-field.tsx';
import { Fact } from '../_ui/pieces.tsx';
import type { FormValues } from '../_visit/form-values.ts';

const CLAIM = 'claimName';
const MEMBER = 'claimMember';

type Config = Readonly<Record<string, unknown>>;
const mapIn = (config: Config) =>
  Object.entries(config['claims'] ?? {}).map(([name, member]) => ({ name, description: String(member) }));

/** The same on the method's page. */
export function ClaimFacts({ config }: { config: Config }) {
  const map = mapIn(config).map(({ name, description }) => `${name}: ${description}`);
  return (
    <>
      {map.length > 0 && (
        <Fact name="Claims">
          <code>{map.join(', ')}</code>
        </Fact>
      )}
      {config['trust_email'] === true && <Fact name="E-mail addresses">count as verified</Fact>}
    </>
  );
}

type ClaimFieldsProps = { typed: FormValues; config: Config };

export function ClaimFields({ typed, config }: ClaimFieldsProps) {
  const stored = mapIn(config);
  const members = typed.every(MEMBER);
  const values = typed.kept
    ? typed.every(CLAIM).map((name, at) => ({ name, description: members[at] ?? '' }))
    : stored;
  return (
    <>
      <PairsField
        label="Claims of its people"
        hint="Our name of a claim, and the name that it has there."
        each="claim"
        names={{ name: CLAIM, description: MEMBER, faults: 'config.claims' }}
        placeholders={{ name: 'groups', description: 'memberOf' }}
        values={values.filter(({ name, description }) => name !== '' || description !== '')}
        meanwhile={typed.meanwhilePairs(CLAIM, MEMBER, stored)}
      />
      <fieldset className="group">
        <legend>E-mail addresses</legend>
        <Check
          name="config.trust_email"
          label="Addresses from there count as verified"
          note="Only where they are proved there. A broker must also say so of each address."
          checked={typed.checked('config.trust_email', config['trust_email'] === true)}
        />
      </fieldset>
    </>
  );
}

/** The part of a method's `config` that these fields hold. */
export function claimsOfForm(all: (name: string) => readonly string[]): Record<string, unknown> {
  const members = all(MEMBER);
  const pairs = all(CLAIM)
    .map((name, at) => [name.trim(), (members[at] ?? '').trim()])
    .filter(([name, member]) => name !== '' || member !== '');
  return { claims: Object.fromEntries(pairs), trust_email: all('config.trust_email').length > 0 };
}

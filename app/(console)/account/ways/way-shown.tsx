import { Name } from '#app/_components/name.tsx';
import { Sentence } from '#app/_components/sentence.tsx';
import type { Words } from '#lib/language/index.ts';
import type { MyWays } from '#lib/management/index.ts';
import { When } from '../../_ui/when.tsx';

type JoinWhoProps = { label: string; me: string; words: Words };

/** Whose sign-in becomes whose, before it does. */
export function JoinWho({ label, me, words }: JoinWhoProps) {
  const named = { name: <Name>{label}</Name>, me: <bdi>{me}</bdi> };
  return (
    <p>
      <Sentence parts={words.parts('ways.join_who', named)} />
    </p>
  );
}

type WayFactsProps = { of: MyWays['identities'][number]; words: Words };

export function WayFacts({ of: { email, lastSeenAt, current }, words }: WayFactsProps) {
  const { t, parts } = words;
  return (
    <p>
      {email !== null && (
        <>
          <Sentence parts={parts('ways.as', { name: <bdi>{email}</bdi> })} />{' '}
        </>
      )}
      <Sentence parts={parts('ways.used', { at: <When at={lastSeenAt} words={words} /> })} />
      {current && ` ${t('ways.current')}`}
    </p>
  );
}

import { Name } from '#app/_components/name.tsx';
import { Sentence } from '#app/_components/sentence.tsx';
import type { Words } from '#lib/language/words.ts';
import type { MyLinks } from '#lib/management/account/links.ts';
import { When } from '../../_ui/when.tsx';

type JoinWhoProps = { label: string; me: string; words: Words };

/** Whose sign-in becomes whose, before it does. */
export function JoinWho({ label, me, words }: JoinWhoProps) {
  const named = { name: <Name>{label}</Name>, me: <bdi>{me}</bdi> };
  return (
    <p>
      <Sentence parts={words.parts('links.join_who', named)} />
    </p>
  );
}

type LinkFactsProps = { of: MyLinks['identities'][number]; words: Words };

export function LinkFacts({ of: { email, lastSeenAt, current }, words }: LinkFactsProps) {
  const { t, parts } = words;
  return (
    <p>
      {email !== null && (
        <>
          <Sentence parts={parts('links.as', { name: <bdi>{email}</bdi> })} />{' '}
        </>
      )}
      <Sentence parts={parts('links.used', { at: <When at={lastSeenAt} words={words} /> })} />
      {current && ` ${t('links.current')}`}
    </p>
  );
}

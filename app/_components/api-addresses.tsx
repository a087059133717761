import { type Words, wordsOf } from '#lib/language/words.ts';
import type { DisplayText } from '#lib/registry/fields/display-text.ts';
import { Name } from './name.tsx';

// Links of an API or a client: terms of service, privacy policy, contact.
type Addresses = { tosUri: string | null; policyUri: string | null; contactUri: string | null };

export function ApiAddresses({
  api,
  words = wordsOf('en'),
}: {
  api: Addresses & { name: DisplayText };
  words?: Words;
}) {
  const { t } = words;
  const links = (
    [
      [t('consent.terms'), api.tosUri],
      [t('consent.privacy'), api.policyUri],
      [t('consent.contact'), api.contactUri],
    ] as const
  ).filter(([, href]) => href !== null);
  if (links.length === 0) return null;
  return (
    <p className="note">
      <Name words={words}>{api.name}</Name>:{' '}
      {links.map(([label, href], at) => (
        <span key={label}>
          {at > 0 && ' · '}
          <a href={href ?? undefined} rel="noreferrer" target="_blank">
            {label}
          </a>
        </span>
      ))}
    </p>
  );
}

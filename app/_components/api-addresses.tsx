// Links of an API: terms of service, privacy policy, contact.
type Addresses = { tosUri: string | null; policyUri: string | null; contactUri: string | null };

export function ApiAddresses({ api }: { api: Addresses & { name: string } }) {
  const links = (
    [
      ['Terms of service', api.tosUri],
      ['Privacy policy', api.policyUri],
      ['Contact', api.contactUri],
    ] as const
  ).filter(([, href]) => href !== null);
  if (links.length === 0) return null;
  return (
    <p className="note">
      <bdi>{api.name}</bdi>:{' '}
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

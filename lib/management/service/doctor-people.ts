// What the doctor says of people: passkeys of another domain than today's work no more, and their people may have no
// other factor; claims that a method or a token left out decide what people may do.
import { settings } from '#lib/settings/settings.ts';
import { database } from '#lib/store/database/prisma.ts';
import { countLeftOut } from '#lib/store/log/audit.ts';
import { countOldPasskeys } from '#lib/store/people/passkeys.ts';
import { selectSharedNames } from '#lib/store/people/people.ts';
import { type Finding, finding, formatCount, guideAt } from './doctor-finding.ts';

const warning = finding('warning');

/** Nothing where all of them work. */
export async function examinePasskeys(): Promise<Finding[]> {
  const { passkeyRpId } = settings();
  const { passkeys, people, rpIds } = await countOldPasskeys(passkeyRpId);
  if (passkeys === 0) return [];
  const detail =
    `${formatCount(passkeys, 'passkey')} of ${formatCount(people, 'person', 'people')}, made for ${rpIds.join(', ')}, cannot be used at ${passkeyRpId}: set PASSKEY_RP_ID to a domain ` +
    `above both hosts, or have these people reset (gatehouse user reset-factors); see ${guideAt('strong-sign-in')}`;
  return [warning('passkeys', detail)];
}

/** Of the last week; nothing where all claims came, and fitted. */
export async function examineClaims(): Promise<Finding[]> {
  const found = await countLeftOut();
  return found.map(({ event, apiId, authMethodId, people, claims }) => {
    const many = formatCount(people, 'person', 'people');
    const what = claims.join(', ');
    if (event === 'groups.overage')
      return warning(
        `groups by ${authMethodId}`,
        `did not tell ${what} of ${many} in the last 7 days, whose groups stayed as they were: in Entra assign groups to the application, or use app roles; see ${guideAt('groups')}`,
      );
    const [check, advice] =
      apiId === null
        ? [`claims by ${authMethodId}`, 'map fewer claims, or have the method say less']
        : [`claims at ${apiId}`, 'name fewer groups in groups_claim, or fewer claims in token_claims'];
    return warning(
      check,
      `${what} of ${many} left out in the last 7 days, as all claims had over 8 KiB: ${advice}; see ${guideAt('groups')}`,
    );
  });
}

/** Nothing where each id, user name and kept subject is the name of one person. */
export async function examineNames(): Promise<Finding[]> {
  const shared = await selectSharedNames(await database());
  return shared.map(({ name, people }) =>
    warning(
      'user names',
      `${name} is an id, user name or subject of several users (${people.join(', ')}), so commands by this name are refused: give one of them another user name; see ${guideAt('import')}`,
    ),
  );
}

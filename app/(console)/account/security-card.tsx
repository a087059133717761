// What signs this person in, first on the page of the account.
import { Sentence } from '#app/_components/sentence.tsx';
import type { Words } from '#lib/language/words.ts';
import type { Profile } from '#lib/management/account/account.ts';
import type { MyFactors } from '#lib/management/account/my-factors.ts';
import { Fact, Facts, Panel } from '../_ui/pieces.tsx';
import { When } from '../_ui/when.tsx';

type Props = { profile: Profile; factors: MyFactors; words: Words };

export function SecurityCard({ profile, factors, words }: Props) {
  const { t, parts } = words;
  const { passkeys, totps, recoveryCodes, maySetUp } = factors;
  const has = totps.length + passkeys.length > 0;
  return (
    <Panel
      id="security"
      heading={t('security.heading')}
      lead={t('security.lead')}
      aside={<a href="/account/security">{t('security.factors')}</a>}
    >
      <Facts>
        {profile.hasPassword && (
          <Fact name={t('sign_in.password')}>
            <Sentence
              parts={parts('my.password_changed', {
                at: <When at={profile.passwordChangedAt ?? null} words={words} />,
                change: <a href="/account/password">{t('my.password_change_it')}</a>,
              })}
            />
          </Fact>
        )}
        {(has || maySetUp) && (
          <>
            <Fact name={t('security.passkeys')}>
              {passkeys.length === 0 ? t('security.none') : passkeys.map(({ name }) => name).join(', ')}
            </Fact>
            <Fact name={t('security.apps')}>
              {totps.length === 0
                ? t('security.none')
                : totps.map(({ name }) => name ?? t('security.app')).join(', ')}
            </Fact>
          </>
        )}
        {has && <Fact name={t('security.codes')}>{recoveryCodes}</Fact>}
        <Fact name={t('links.heading')}>
          <a href="/account/links">{t('links.all')}</a>
        </Fact>
      </Facts>
    </Panel>
  );
}

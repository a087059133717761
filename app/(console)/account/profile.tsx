import { ownName } from '#app/_components/language-chooser.tsx';
import { Sentence } from '#app/_components/sentence.tsx';
import type { Profile as Stored } from '#lib/management/account/account.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { TextField } from '../_ui/fields.tsx';
import { Form } from '../_ui/form.tsx';
import { visitWords } from '../_ui/page-language.ts';
import { Fact, Facts, Panel, Pill } from '../_ui/pieces.tsx';
import { SelectField } from '../_ui/select-field.tsx';
import { Submit } from '../_ui/submit.tsx';
import { When } from '../_ui/when.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import type { FormStart } from '../_visit/start-form.ts';
import { ZONES } from './zones.ts';

type ProfileProps = {
  profile: Stored;
  rename: FormStart;
  confirm: FormStart;
  name: string;
};

export async function Profile({ profile, rename, confirm, name }: ProfileProps) {
  const words = await visitWords();
  const { t, parts } = words;
  const optionalWord = t('console.optional');
  return (
    <Panel id="profile" heading={t('my.profile')}>
      <Form {...rename} className="form beside" submit={t('my.name_save')} tone="plain">
        <TextField
          name="name"
          label={t('register.name')}
          value={name}
          autoComplete="name"
          maxLength={200}
          optional
          optionalWord={optionalWord}
          hint={t('my.name_hint')}
        />
      </Form>
      <Facts>
        {profile.email && (
          <Fact name={t('sign_in.email')}>
            <bdi>{profile.email}</bdi>{' '}
            {profile.emailVerified ? (
              <Pill tone="good">{t('my.confirmed')}</Pill>
            ) : (
              <Form {...confirm} className="inline">
                <Submit tone="link">{t('my.confirm_mine')}</Submit>
              </Form>
            )}{' '}
            <a href="/account/address">{t('my.address_change')}</a>
          </Fact>
        )}
        {profile.roles.length > 0 && <Fact name={t('my.roles')}>{profile.roles.join(', ')}</Fact>}
        {profile.identities.map((identity) => (
          <Fact key={`${identity.authMethodId} ${identity.email}`} name={identity.methodName}>
            <bdi>{identity.email ?? t('my.signs_you_in')}</bdi>,{' '}
            <Sentence
              parts={parts('my.last_used', { at: <When at={identity.lastSeenAt} words={words} /> })}
            />
          </Fact>
        ))}
      </Facts>
    </Panel>
  );
}

type DetailsProps = { profile: Stored; choose: FormStart; choices: FormValues };

/** What applications get with the scope `profile`. */
export async function Details({ profile, choose, choices }: DetailsProps) {
  const words = await visitWords();
  const { t } = words;
  const optionalWord = t('console.optional');
  return (
    <Panel id="details" heading={t('my.about')} lead={t('my.about_lead')}>
      <Form {...choose} submit={t('my.details_save')} tone="plain">
        <TextField
          name="picture"
          label={t('my.picture')}
          type="url"
          value={choices.one('picture', profile.picture ?? '')}
          maxLength={2048}
          optional
          optionalWord={optionalWord}
          hint={t('my.picture_hint')}
        />
        <SelectField
          name="locale"
          label={t('my.language')}
          value={choices.one('locale', profile.locale ?? '')}
          groups={[['', [['', t('my.no_choice')], ...LANGUAGES.map((one) => [one, ownName(one)] as const)]]]}
          hint={t('my.language_hint')}
        />
        <SelectField
          name="zoneinfo"
          label={t('my.zone')}
          value={choices.one('zoneinfo', profile.zoneinfo ?? '')}
          groups={[['', [['', t('my.no_choice')]]], ...ZONES]}
          hint={t('my.zone_hint')}
        />
      </Form>
    </Panel>
  );
}

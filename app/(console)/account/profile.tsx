import type { Profile as Stored } from '#lib/management/index.ts';
import { TextField } from '../_ui/fields.tsx';
import { Form } from '../_ui/form.tsx';
import { Fact, Facts, Panel, Pill } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { When } from '../_ui/when.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import type { FormStart } from '../_visit/start-form.ts';

type ProfileProps = {
  profile: Stored;
  rename: FormStart;
  confirm: FormStart;
  name: string;
};

export function Profile({ profile, rename, confirm, name }: ProfileProps) {
  return (
    <Panel id="profile" heading="Profile">
      <Form {...rename} className="form beside" submit="Save the name" tone="plain">
        <TextField
          name="name"
          label="Name"
          value={name}
          autoComplete="name"
          maxLength={200}
          optional
          hint="Shown to people who decide on your requests."
        />
      </Form>
      <Facts>
        {profile.email && (
          <Fact name="E-mail">
            {profile.email}{' '}
            {profile.emailVerified ? (
              <Pill tone="good">confirmed</Pill>
            ) : (
              <Form {...confirm} className="inline">
                <Submit tone="link">Confirm that it is yours</Submit>
              </Form>
            )}{' '}
            <a href="/account/address">Change the address</a>
          </Fact>
        )}
        {profile.hasPassword && (
          <Fact name="Password">
            Changed <When at={profile.passwordChangedAt ?? null} />. <a href="/account/password">Change it</a>
          </Fact>
        )}
        <Fact name="Sign-in and security">
          <a href="/account/security">Passkeys, authenticator app, recovery codes</a>
        </Fact>
        <Fact name="Ways to sign in">
          <a href="/account/ways">All of them, and how to add one</a>
        </Fact>
        {profile.roles.length > 0 && <Fact name="Roles">{profile.roles.join(', ')}</Fact>}
        {profile.identities.map((identity) => (
          <Fact key={`${identity.authMethodId} ${identity.email}`} name={identity.methodName}>
            {identity.email ?? 'signs you in'}, last used <When at={identity.lastSeenAt} />
          </Fact>
        ))}
      </Facts>
    </Panel>
  );
}

type DetailsProps = { profile: Stored; choose: FormStart; choices: FormValues };

/** What applications get with the scope `profile`. */
export function Details({ profile, choose, choices }: DetailsProps) {
  return (
    <Panel id="details" heading="About you" lead="For applications that may see your profile.">
      <Form {...choose} submit="Save the details" tone="plain">
        <TextField
          name="picture"
          label="Picture"
          type="url"
          value={choices.one('picture', profile.picture ?? '')}
          maxLength={2048}
          optional
          hint="The https address of a picture of you. These pages never load it."
        />
        <TextField
          name="locale"
          label="Language"
          value={choices.one('locale', profile.locale ?? '')}
          maxLength={35}
          code
          optional
          hint="As a tag, such as de or pt-BR."
        />
        <TextField
          name="zoneinfo"
          label="Time zone"
          value={choices.one('zoneinfo', profile.zoneinfo ?? '')}
          maxLength={64}
          code
          optional
          hint="Such as Europe/Berlin."
        />
      </Form>
    </Panel>
  );
}

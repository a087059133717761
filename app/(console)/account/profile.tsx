import type { Profile as Stored } from '#lib/management/index.ts';
import { TextField } from '../_ui/fields.tsx';
import { Form } from '../_ui/form.tsx';
import { Fact, Facts, Panel, Pill } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { When } from '../_ui/when.tsx';
import type { FormStart } from '../_visit/start-form.ts';

type ProfileProps = { profile: Stored; rename: FormStart; confirm: FormStart; name: string };

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
            )}
          </Fact>
        )}
        {profile.hasPassword && (
          <Fact name="Password">
            Changed <When at={profile.passwordChangedAt ?? null} />. <a href="/account/password">Change it</a>
          </Fact>
        )}
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

// Panels of /account: sign-in factors, profile, sessions, consents, and delegations.
import { ownName } from '#app/_components/frame.tsx';
import { Tile } from '#app/_components/hosted-parts.tsx';
import { Name, Sentence } from '#app/_components/pieces.tsx';
import type { ConsentRow, DelegationRow, SessionRow } from '#lib/catalogue/people/definition.ts';
import { PROFILE, PROFILE_NAMES } from '#lib/catalogue/people/profile.ts';
import type { Words } from '#lib/language/words.ts';
import type { MyFactors, Profile } from '#lib/management/my-account.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import type { FormValues } from '../_kit/draft.ts';
import { TextField } from '../_kit/fields.tsx';
import { Form, Submit } from '../_kit/form.tsx';
import { List, Row } from '../_kit/list.tsx';
import { visitWords } from '../_kit/page-language.ts';
import type { FormStart } from '../_kit/page-start.tsx';
import { Empty, Fact, Facts, Panel, Pill, When } from '../_kit/pieces.tsx';
import { SelectField } from '../_kit/select-field.tsx';
import { withQuery } from '../_kit/with-query.ts';
import { deviceOf } from './device-name.ts';
import { Whence } from './shown.tsx';

type Zones = readonly (readonly [
  place: string,
  zones: readonly (readonly [zone: string, label: string])[],
])[];
let knownZones: Zones | null = null;

/** Time zones by region, labelled with the city. Typing a city selects its zone. */
function timeZones(): Zones {
  if (knownZones !== null) return knownZones;
  const byPlace = new Map<string, [zone: string, label: string][]>();
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const [place = '', ...rest] = zone.split('/');
    const label = (rest.at(-1) ?? place).replaceAll('_', ' ');
    byPlace.set(place, [...(byPlace.get(place) ?? []), [zone, label]]);
  }
  knownZones = [...byPlace].map(
    ([place, zones]) => [place, zones.toSorted(([, a], [, b]) => a.localeCompare(b, 'en'))] as const,
  );
  return knownZones;
}

type ProfileProps = {
  profile: Profile;
  rename: FormStart;
  confirm: FormStart;
  name: string;
};

export async function ProfilePanel({ profile, rename, confirm, name }: ProfileProps) {
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

type DetailsProps = { profile: Profile; choose: FormStart; choices: FormValues };

/** Shows the claims that applications receive with the scope `profile`. */
export async function Details({ profile, choose, choices }: DetailsProps) {
  const { t } = await visitWords();
  const groups = {
    languages: [
      ['', [['', t('my.no_choice')], ...LANGUAGES.map((language) => [language, ownName(language)] as const)]],
    ],
    zones: [['', [['', t('my.no_choice')]]], ...timeZones()],
  } as const;
  return (
    <Panel id="details" heading={t('my.about')} lead={t('my.about_lead')}>
      <Form {...choose} submit={t('my.details_save')} tone="plain">
        {PROFILE_NAMES.map((name) => {
          const { words, input } = PROFILE[name];
          const field = {
            name,
            label: t(words.label),
            value: choices.one(name, profile[name] ?? ''),
            hint: t(words.hint),
          };
          return 'choices' in input ? (
            <SelectField key={name} {...field} groups={groups[input.choices]} />
          ) : (
            <TextField key={name} {...field} {...input} optional optionalWord={t('console.optional')} />
          );
        })}
      </Form>
    </Panel>
  );
}

// Panel with the user's sign-in factors, at the top of the account page.

type SecurityCardProps = { profile: Profile; factors: MyFactors; words: Words };

export function SecurityCard({ profile, factors, words }: SecurityCardProps) {
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

type SessionsProps = { sessions: SessionRow[]; end: FormStart; endOthers: FormStart };

export async function Sessions({ sessions, end, endOthers }: SessionsProps) {
  const words = await visitWords();
  const { t, parts } = words;
  return (
    <Panel
      id="sessions"
      heading={t('my.sessions')}
      lead={`${t('my.sessions_lead')} ${t('my.device_choose')}`}
      aside={
        sessions.length > 1 && (
          <Form {...endOthers} className="inline">
            <Submit tone="link">{t('my.end_others')}</Submit>
          </Form>
        )
      }
    >
      <List label={t('my.sessions')}>
        {sessions.map((session) => (
          <Row
            key={session.id}
            href={withQuery('/account/device', { session: session.id })}
            title={<Name>{session.name ?? deviceOf(session.userAgent, t)}</Name>}
            pills={session.current && <Pill tone="good">{t('my.this_one')}</Pill>}
            side={
              !session.current && (
                <Form {...end} className="inline" fields={{ id: session.id }}>
                  <Submit
                    tone="plain"
                    of={t('my.of_sign_in', { device: session.name ?? deviceOf(session.userAgent, t) })}
                  >
                    {t('my.end')}
                  </Submit>
                </Form>
              )
            }
          >
            {session.name !== null && `${deviceOf(session.userAgent, t)} · `}
            <Sentence
              parts={parts(session.kind === 'console' ? 'my.session_console' : 'my.session_applications', {
                method: <bdi>{session.methodName}</bdi>,
                at: <When at={session.authTime} words={words} />,
                seen: <When at={session.lastSeenAt} words={words} />,
              })}
            />
            {session.ip && ` · ${session.ip}`}
          </Row>
        ))}
      </List>
    </Panel>
  );
}

type ConsentsProps = { consents: ConsentRow[]; withdraw: FormStart; words: Words };

/**
 * The user's consents, in the words of the consent page, each with a button that revokes it. Agents have a separate
 * list.
 */
export function Consents({ consents, withdraw, words }: ConsentsProps) {
  const { t } = words;
  const others = consents.filter(({ clientOrigin }) => clientOrigin === null);
  const agents = consents.filter(({ clientOrigin }) => clientOrigin !== null);
  return (
    <>
      {others.length === 0 ? (
        <Panel id="applications" heading={t('my.uses')}>
          <Empty heading={t('my.uses_none')} inside>
            <p>{t('my.uses_none_lead')}</p>
          </Empty>
        </Panel>
      ) : (
        <Panel id="applications" heading={t('my.uses')} lead={t('my.uses_lead')}>
          <ConsentList label={t('my.uses')} consents={others} withdraw={withdraw} words={words} />
        </Panel>
      )}
      {agents.length > 0 && (
        <Panel id="agents" heading={t('my.agents')} lead={t('my.agents_lead')}>
          <ConsentList label={t('my.agents')} consents={agents} withdraw={withdraw} words={words} />
        </Panel>
      )}
    </>
  );
}

type ConsentListProps = ConsentsProps & { label: string };

function ConsentList({ label, consents, withdraw, words }: ConsentListProps) {
  const { t, parts, shown } = words;
  return (
    <ul className="list" aria-label={label}>
      {consents.map((consent) => (
        <li className="row" key={consent.id}>
          <div className="with-tile row-text">
            <Tile of="client" id={consent.clientId} name={consent.clientName} logoUri={consent.logoUri} />
            <div className="row-text">
              <p className="row-title">
                <span>
                  <Sentence
                    parts={parts('my.may_use', {
                      client: <Name words={words}>{consent.clientName}</Name>,
                      api: <Name words={words}>{consent.apiName}</Name>,
                    })}
                  />
                </span>
              </p>
              <p className="soft">
                {consent.scopes.map(({ name, description }) => shown(description).text || name).join(' · ')}
              </p>
              {consent.devices.length > 0 && (
                <p className="soft">
                  <Sentence
                    parts={parts('my.devices_from', {
                      from: <bdi>{consent.devices.map((from) => from || '?').join(', ')}</bdi>,
                    })}
                  />
                </p>
              )}
              <Whence of={consent} words={words} />
              <p className="soft">
                <Sentence
                  parts={
                    consent.lastUsedAt
                      ? parts('my.allowed_used', {
                          at: <When at={consent.grantedAt} words={words} />,
                          used: <When at={consent.lastUsedAt} words={words} />,
                        })
                      : parts('my.allowed_on', { at: <When at={consent.grantedAt} words={words} /> })
                  }
                />
              </p>
            </div>
          </div>
          <Form {...withdraw} className="row-side" fields={{ id: consent.id }}>
            <Submit
              tone="plain"
              of={t('my.of_access', {
                client: shown(consent.clientName).text,
                api: shown(consent.apiName).text,
              })}
            >
              {t('my.withdraw')}
            </Submit>
          </Form>
        </li>
      ))}
    </ul>
  );
}

type DelegationsProps = { delegations: DelegationRow[]; end: FormStart; words: Words };

/** Clients that can act for the user, each with a button that ends the delegation. */
export function Delegations({ delegations, end, words }: DelegationsProps) {
  const { t, parts, shown } = words;
  const another = <a href="/account/agents">{t('my.agent_let')}</a>;
  if (delegations.length === 0) {
    return (
      <Panel id="delegations" heading={t('my.acting')} aside={another}>
        <Empty heading={t('my.acting_none')} inside>
          <p>{t('my.acting_none_lead')}</p>
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel id="delegations" heading={t('my.acting')} aside={another} lead={t('my.acting_lead')}>
      <ul className="list" aria-label={t('my.acting')}>
        {delegations.map(
          ({ id, clientOrigin, clientId, clientName, logoUri, apiName, scopes, until, givenAt }) => (
            <li className="row" key={id}>
              <div className="with-tile row-text">
                <Tile of="client" id={clientId} name={clientName} logoUri={logoUri} />
                <div className="row-text">
                  <p className="row-title">
                    <span>
                      <Sentence
                        parts={parts('my.may_act', {
                          agent: <Name words={words}>{clientName}</Name>,
                          api: <Name words={words}>{apiName}</Name>,
                        })}
                      />
                    </span>
                  </p>
                  <p className="soft">
                    {scopes.map(({ name, description }) => shown(description).text || name).join(' · ')}
                  </p>
                  <Whence of={{ clientId, clientOrigin }} words={words} />
                  <p className="soft">
                    <Sentence
                      parts={parts('my.allowed_ends', {
                        at: <When at={givenAt} words={words} />,
                        until: <When at={until} words={words} />,
                      })}
                    />
                  </p>
                </div>
              </div>
              <Form {...end} className="row-side" fields={{ id }}>
                <Submit
                  tone="plain"
                  of={t('my.of_delegation', { agent: shown(clientName).text, api: shown(apiName).text })}
                >
                  {t('my.end')}
                </Submit>
              </Form>
            </li>
          ),
        )}
      </ul>
    </Panel>
  );
}

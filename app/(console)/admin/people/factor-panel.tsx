import { say } from '#app/(console)/_texts/say.tsx';
import { Panel } from '#app/(console)/_ui/pieces.tsx';
import type { PersonView } from '#lib/store/people/people.ts';
import { personPath } from './forms.ts';

type Props = { person: PersonView; own: boolean };

/** The factors of a person beside the password, and how a lost one is removed. */
export function FactorPanel({ person, own }: Props) {
  const { passkeys, oldPasskeys, totpCount, recoveryCodes, trustedBrowsers } = person;
  const lines = [
    ...(passkeys > 0
      ? [
          oldPasskeys > 0
            ? say('{passkeys, plural, one {# passkey} other {# passkeys}}, {old} of another host', {
                passkeys,
                old: oldPasskeys,
              })
            : say('{passkeys, plural, one {# passkey} other {# passkeys}}', { passkeys }),
        ]
      : []),
    ...(totpCount > 0
      ? [
          say('{count, plural, one {# authenticator app} other {# authenticator apps}}', {
            count: totpCount,
          }),
        ]
      : []),
    ...(recoveryCodes > 0
      ? [say('{codes, plural, one {# recovery code} other {# recovery codes}}', { codes: recoveryCodes })]
      : []),
    ...(trustedBrowsers > 0
      ? [
          say('{browsers, plural, one {# trusted browser} other {# trusted browsers}}', {
            browsers: trustedBrowsers,
          }),
        ]
      : []),
  ];
  return (
    <Panel
      id="factors"
      heading={say('Second factor')}
      lead={say(
        'For a person who lost it. Make sure that the request is really theirs: without it their password is enough.',
      )}
    >
      {lines.length === 0 && <p>{say('None.')}</p>}
      {lines.length > 0 && own && (
        <p>
          {say('You have {factors}.', { factors: lines.join(', ') })}{' '}
          <a href="/account/security">{say('Change your own there')}</a>
        </p>
      )}
      {lines.length > 0 && !own && (
        <>
          <p>{say('They have {factors}.', { factors: lines.join(', ') })}</p>
          <div className="form-actions">
            <a className="button danger" href={personPath(person.id, 'reset-factors')}>
              {say('Reset factors…')}
            </a>
          </div>
        </>
      )}
    </Panel>
  );
}

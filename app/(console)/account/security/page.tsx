import type { Metadata } from 'next';
import Script from 'next/script';
import { Name } from '#app/_components/name.tsx';
import type { SearchParams } from '#app/_components/page-input.ts';
import { PASSKEY_SCRIPT } from '#app/_html/passkey-script.ts';
import { readMyFactors } from '#lib/management/index.ts';
import { Form } from '../../_ui/form.tsx';
import { List, Row } from '../../_ui/list.tsx';
import { Callout, Panel, Pill, Title } from '../../_ui/pieces.tsx';
import { When } from '../../_ui/when.tsx';
import { withQuery } from '../../_ui/with-query.ts';
import { type Visit, visit } from '../../_visit/visit.tsx';
import { TrustedBrowsers } from './trusted-browsers.tsx';

export const metadata: Metadata = { title: 'Sign-in and security' };

const ADD = '/account/security/add';

export default function SecurityPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'account', here: '/account', path: '/account/security', searchParams } as const;
  return visit(page, async ({ actor, form }) => {
    const factors = await readMyFactors(actor);
    const { passkeys, totp, recoveryCodes, trustedBrowsers, maySetUp, required, rpId } = factors;
    const has = totp !== null || passkeys.length > 0;
    return (
      <>
        <Title
          back={{ href: '/account', label: 'Your account' }}
          lead="What signs you in besides your password, or in its place."
        >
          Sign-in and security
        </Title>
        {!maySetUp && !has && (
          <Callout>
            <p>You sign in elsewhere, and there is no second step to set up here.</p>
          </Callout>
        )}
        {maySetUp && !has && (
          <Callout>
            <p>
              You have no second step yet. With the first one, whatever applications got for your password
              alone ends: they ask you to sign in again.
            </p>
          </Callout>
        )}
        {actor.email === null && maySetUp && (
          <Callout>
            <p>There is no e-mail address of yours here, so nobody is told of changes by mail.</p>
          </Callout>
        )}
        <Panel
          id="passkeys"
          heading="Passkeys"
          lead="Sign in by your device: nothing to type, and nothing that another site could ask you for."
          aside={maySetUp && factors.hasPasskeys && <a href={`${ADD}#passkey`}>Add a passkey</a>}
        >
          <List label="Passkeys">
            {passkeys.map((passkey) => (
              <Row
                key={passkey.id}
                href={withQuery('/account/security/passkey', { id: passkey.id })}
                title={<Name>{passkey.name}</Name>}
                pills={passkey.rpId !== rpId && <Pill tone="waiting">only at {passkey.rpId}</Pill>}
              >
                {passkey.backedUp ? 'Synced' : 'On one device'} · added <When at={passkey.createdAt} />, last
                used <When at={passkey.lastUsedAt} />
              </Row>
            ))}
          </List>
          {passkeys.length === 0 && <p>None.</p>}
        </Panel>
        <Panel
          id="app"
          heading="Authenticator app"
          lead="It shows a new code every 30 seconds."
          aside={maySetUp && totp === null && <a href={`${ADD}#app`}>Set up an app</a>}
        >
          {totp ? (
            <>
              <p>
                Set up <When at={totp.createdAt} />, last used <When at={totp.lastUsedAt} />.
              </p>
              {passkeys.length === 0 && <LastOne required={required} />}
              <Form {...(await form('app-remove'))} submit="Remove the app" tone="danger" />
            </>
          ) : (
            <p>None.</p>
          )}
        </Panel>
        {has && <RecoveryCodes left={recoveryCodes} form={form} />}
        <TrustedBrowsers browsers={trustedBrowsers} forget={await form('browser-forget')} />
        {maySetUp && factors.hasPasskeys && (
          <div hidden data-passkey-signal={factors.signal}>
            <Script src={PASSKEY_SCRIPT} strategy="lazyOnload" />
          </div>
        )}
      </>
    );
  });
}

function LastOne({ required }: { required: boolean }) {
  return (
    <Callout>
      <p>
        It is the last one: your recovery codes and trusted browsers go with it.
        {required && ' Your role takes a second step, so the next sign-in asks you to set one up.'}
      </p>
    </Callout>
  );
}

async function RecoveryCodes({ left, form }: { left: number; form: Visit['form'] }) {
  return (
    <Panel
      id="codes"
      heading="Recovery codes"
      lead="Each stands in for a passkey or the app once, where you have lost it."
    >
      <p>
        {left === 0 ? 'You have none.' : `${left} of them ${left === 1 ? 'is' : 'are'} left.`}
        {left > 0 && ' New ones take their place.'}
      </p>
      <Form {...(await form('recovery-codes'))} submit="Make new codes" tone="plain" />
    </Panel>
  );
}

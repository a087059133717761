import type { Metadata } from 'next';
import Script from 'next/script';
import type { SearchParams } from '#app/_components/page-input.ts';
import { PasskeyButton, PasskeyForm } from '#app/_components/passkey-form.tsx';
import { PASSKEY_SCRIPT } from '#app/_html/passkey-script.ts';
import { now } from '#lib/kit/index.ts';
import { maySetUpNow, readMyFactors, viewNewFactor } from '#lib/management/index.ts';
import { TextField } from '../../../_ui/fields.tsx';
import { Form } from '../../../_ui/form.tsx';
import { Panel, Title } from '../../../_ui/pieces.tsx';
import { TotpSecret } from '../../../_ui/totp-secret.tsx';
import { withQuery } from '../../../_ui/with-query.ts';
import { visit } from '../../../_visit/visit.tsx';

export const metadata: Metadata = { title: 'Add a second step' };

const HERE = '/account/security/add';

export default function AddPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'account', here: '/account', path: HERE, searchParams } as const;
  return visit(page, async ({ actor, form }) => {
    const { maySetUp, totp: there } = await readMyFactors(actor);
    const title = (
      <Title back={{ href: '/account/security', label: 'Sign-in and security' }}>Add a second step</Title>
    );
    if (!maySetUp || !maySetUpNow(actor, now()))
      return (
        <>
          {title}
          <Panel id="again" heading="First">
            {maySetUp ? (
              <p>
                This takes a sign-in of the last 15 minutes.{' '}
                <a href={withQuery('/account/again', { to: HERE })}>Show that it is still you</a>
              </p>
            ) : (
              <p>You sign in elsewhere, and there is no second step to set up here.</p>
            )}
          </Panel>
        </>
      );
    const { totp, passkey } = await viewNewFactor(actor, { totp: there === null });
    const add = await form('passkey-add');
    return (
      <>
        {title}
        {passkey && (
          <Panel
            id="passkey"
            heading="A passkey"
            lead="Your browser asks for your finger, face or PIN. It needs JavaScript."
          >
            {add.message && (
              <p className="alert" role="alert">
                {add.message}
              </p>
            )}
            <PasskeyForm kind="create" action={add.action} asked={passkey} className="form">
              <input type="hidden" name="anti_forgery" value={add.token} />
              <TextField
                name="name"
                label="Name"
                hint="To know it by, such as My phone."
                maxLength={60}
                optional
              />
              <div className="form-actions">
                <PasskeyButton tone="button">Add a passkey</PasskeyButton>
              </div>
            </PasskeyForm>
            <Script src={PASSKEY_SCRIPT} strategy="lazyOnload" />
          </Panel>
        )}
        {totp && (
          <Panel id="app" heading="An authenticator app">
            <Form {...(await form('app-add'))} fields={{ sealed: totp.sealed }} submit="Set up the app">
              <TotpSecret svg={totp.svg} spelled={totp.spelled} />
              <TextField
                name="code"
                label="Code"
                hint="The six digits that it shows then."
                autoComplete="one-time-code"
                code
              />
            </Form>
          </Panel>
        )}
      </>
    );
  });
}

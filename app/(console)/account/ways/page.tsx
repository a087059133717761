import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { listMyWays, type MyWays } from '#lib/management/index.ts';
import { plainText } from '#lib/registry/index.ts';
import { TextField } from '../../_ui/fields.tsx';
import { Form } from '../../_ui/form.tsx';
import { Panel, Title } from '../../_ui/pieces.tsx';
import { When } from '../../_ui/when.tsx';
import { type Visit, visit } from '../../_visit/visit.tsx';

export const metadata: Metadata = { title: 'Ways to sign in' };

export default function WaysPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'account', here: '/account', path: '/account/ways', searchParams } as const;
  return visit(page, async ({ actor, form, typed }) => {
    const ways = await listMyWays(actor);
    return (
      <>
        <Title
          back={{ href: '/account', label: 'Your account' }}
          lead="Each of them signs you in as the same person."
        >
          Ways to sign in
        </Title>
        {ways.hasPassword && (
          <Panel id="password" heading="Password">
            <p>
              For <bdi>{ways.email}</bdi>. <a href="/account/password">Change it</a>
            </p>
          </Panel>
        )}
        <Theirs ways={ways} form={form} />
        {
          await Promise.all(
            ways.addable.map(async ({ id, name, type }) => (
              <Panel
                key={id}
                id={`add-${id}`}
                heading={`Add ${plainText(name)}`}
                lead="You sign in there now, to prove that it is yours. Nothing changes before you agree."
              >
                {type === 'broker' ? (
                  <Form
                    {...(await form('way-elsewhere'))}
                    fields={{ authMethodId: id }}
                    submit="Go there"
                    tone="plain"
                  />
                ) : (
                  <Form
                    {...(await form('way-password'))}
                    fields={{ authMethodId: id }}
                    submit="Prove it"
                    tone="plain"
                  >
                    <TextField
                      name="username"
                      label="Username there"
                      value={typed('way-password').one('username', '')}
                      autoComplete="off"
                      maxLength={320}
                      code
                    />
                    <TextField name="secret" label="Its password" type="password" autoComplete="off" />
                  </Form>
                )}
              </Panel>
            )),
          )
        }
      </>
    );
  });
}

async function Theirs({ ways, form }: { ways: MyWays; form: Visit['form'] }) {
  const last = ways.identities.length === 1 && !ways.hasPassword;
  return Promise.all(
    ways.identities.map(async (one) => (
      <Panel key={one.authMethodId} id={one.authMethodId} heading={one.methodName}>
        <p>
          {one.email !== null && (
            <>
              As <bdi>{one.email}</bdi>.{' '}
            </>
          )}
          Last used <When at={one.lastSeenAt} />.{one.current && ' You are signed in by it now.'}
        </p>
        {!one.current && !last && (
          <Form
            {...(await form('way-remove'))}
            fields={{ authMethodId: one.authMethodId }}
            submit="Take it away"
            tone="danger"
          />
        )}
      </Panel>
    )),
  );
}

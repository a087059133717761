import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { ADDRESS_CHANGE_MINUTES, readAddressChange } from '#lib/management/index.ts';
import { TextField } from '../../_ui/fields.tsx';
import { Form } from '../../_ui/form.tsx';
import { Panel, Title } from '../../_ui/pieces.tsx';
import { type Visit, visit } from '../../_visit/visit.tsx';

export const metadata: Metadata = { title: 'Change your address' };

const LEAVE = { href: '/account', label: 'Keep the address' };

export default function AddressPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'account', here: '/account', path: '/account/address', searchParams } as const;
  return visit(page, async ({ actor, query, form, typed }) => {
    const { change: handle = '' } = query;
    const change = handle === '' ? null : await readAddressChange(actor, { handle });
    return (
      <>
        <Title
          back={{ href: '/account', label: 'Your account' }}
          lead="You sign in with it, and mails go there."
        >
          Change your address
        </Title>
        {change ? (
          <Codes change={change} handle={handle} form={form} />
        ) : (
          <Panel id="address" heading="Where to?" lead="A code goes to it, and one to the address you have.">
            <Form {...(await form('address-start'))} submit="Send both codes" leave={LEAVE}>
              <TextField
                name="email"
                label="New address"
                type="email"
                value={typed('address-start').one('email')}
                autoComplete="email"
                maxLength={320}
                code
              />
            </Form>
          </Panel>
        )}
      </>
    );
  });
}

type CodesProps = { change: { from: string; email: string }; handle: string; form: Visit['form'] };

async function Codes({ change, handle, form }: CodesProps) {
  return (
    <Panel
      id="codes"
      heading="Enter both codes"
      lead={
        <>
          They work for {ADDRESS_CHANGE_MINUTES} minutes, and five tries. No mail? Look among the unwanted
          ones, or <a href="/account/address">begin again</a>.
        </>
      }
    >
      <Form {...(await form('address-finish'))} fields={{ handle }} submit="Change the address" leave={LEAVE}>
        {(
          [
            ['codeHere', change.from],
            ['codeThere', change.email],
          ] as const
        ).map(([name, address]) => (
          <TextField
            key={name}
            name={name}
            label={`Code sent to ${address}`}
            autoComplete="one-time-code"
            maxLength={10}
            code
          />
        ))}
      </Form>
    </Panel>
  );
}

import type { Metadata } from 'next';
import { Name } from '#app/_components/name.tsx';
import type { SearchParams } from '#app/_components/page-input.ts';
import { type JoinView, Refused, readJoin } from '#lib/management/index.ts';
import { Form } from '../../../_ui/form.tsx';
import { Callout, Panel, Title } from '../../../_ui/pieces.tsx';
import { When } from '../../../_ui/when.tsx';
import { visit } from '../../../_visit/visit.tsx';

export const metadata: Metadata = { title: 'Add this way to sign in' };

const BACK = { href: '/account/ways', label: 'Ways to sign in' };

export default function JoinPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'account', here: '/account', path: '/account/ways/join', searchParams } as const;
  return visit(page, async ({ actor, query, form }) => {
    const proof = query['proof'] ?? '';
    const shown = await shownOf(readJoin(actor, { proof }));
    if (typeof shown === 'string')
      return (
        <Title back={BACK} lead={shown}>
          This was not added
        </Title>
      );
    const { method, label, other } = shown;
    return (
      <>
        <Title back={BACK}>Add this way to sign in?</Title>
        <Panel id="join" heading={method}>
          <p>
            You have just signed in there as <Name>{label}</Name>. From now on that signs you in here as{' '}
            <bdi>{actor.email ?? actor.name}</bdi>.
          </p>
          {other && (
            <Callout>
              <p>
                It was an account of its own here, since <When at={other.createdAt} />. That account ends: it
                is signed out, and {clientsThatAsk(other.consents)} you to sign in again, as the person you
                are here.
              </p>
            </Callout>
          )}
          <Form
            {...(await form('way-join'))}
            fields={{ proof }}
            submit="Add it"
            leave={{ href: BACK.href, label: 'Cancel' }}
          />
        </Panel>
      </>
    );
  });
}

const clientsThatAsk = (n: number) =>
  n === 1 ? 'the application that it let in asks' : `the ${n} applications that it let in ask`;

async function shownOf(asked: Promise<JoinView>): Promise<JoinView | string> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Refused && error.kind === 'conflict') return error.message;
    throw error;
  }
}

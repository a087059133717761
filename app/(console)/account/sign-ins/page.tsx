import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { listMySignIns } from '#lib/management/index.ts';
import { Pager } from '../../_ui/list.tsx';
import { Title } from '../../_ui/pieces.tsx';
import { visit } from '../../_visit/visit.tsx';
import { SignInList } from '../sign-ins.tsx';

export const metadata: Metadata = { title: 'Your sign-ins' };

const path = '/account/sign-ins';

export default function SignInsPage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'account', here: '/account', path, searchParams }, async ({ actor, query }) => {
    const { cursor = '' } = query;
    const { rows, next } = await listMySignIns(actor, { cursor });
    return (
      <>
        <Title
          back={{ href: '/account', label: 'Your account' }}
          lead="Every time somebody signed in as you. If one was not you, change your password."
        >
          Your sign-ins
        </Title>
        <SignInList rows={rows} />
        <Pager path={path} query={{ cursor }} next={next} />
      </>
    );
  });
}

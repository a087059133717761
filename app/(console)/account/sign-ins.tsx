import type { SignIn } from '#lib/management/index.ts';
import { List, Row } from '../_ui/list.tsx';
import { Panel } from '../_ui/pieces.tsx';
import { When } from '../_ui/when.tsx';

const KINDS: Record<SignIn['kind'], string> = {
  'sign-in': 'Sign-in page',
  console: 'This console',
  'password-grant': 'An application asked for your password',
};

export function SignInList({ rows }: { rows: SignIn[] }) {
  return (
    <List label="Sign-ins">
      {rows.map((row) => (
        <Row key={row.id} title={KINDS[row.kind]} side={<When at={row.at} />}>
          {[row.methodName && `by ${row.methodName}`, row.clientId && `for ${row.clientId}`, row.ip]
            .filter(Boolean)
            .join(' · ')}
        </Row>
      ))}
    </List>
  );
}

export function SignIns({ rows, more }: { rows: SignIn[]; more: boolean }) {
  return (
    <Panel
      id="sign-ins"
      heading="Recent sign-ins"
      aside={more && <a href="/account/sign-ins">All of them</a>}
    >
      {rows.length === 0 ? <p className="soft">None in the last while.</p> : <SignInList rows={rows} />}
    </Panel>
  );
}

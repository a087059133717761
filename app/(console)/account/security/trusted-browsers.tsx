import type { MyFactors } from '#lib/management/index.ts';
import { Form } from '../../_ui/form.tsx';
import { List, Row } from '../../_ui/list.tsx';
import { Panel } from '../../_ui/pieces.tsx';
import { Submit } from '../../_ui/submit.tsx';
import { When } from '../../_ui/when.tsx';
import type { FormStart } from '../../_visit/start-form.ts';
import { deviceOf } from '../device.ts';

type Props = { browsers: MyFactors['trustedBrowsers']; forget: FormStart };

export function TrustedBrowsers({ browsers, forget }: Props) {
  if (browsers.length === 0) return null;
  return (
    <Panel
      id="browsers"
      heading="Trusted browsers"
      lead="Applications do not ask for your second step there. This console always does."
      aside={
        <Form {...forget} className="inline" fields={{ id: 'all' }}>
          <Submit tone="link">Forget all</Submit>
        </Form>
      }
    >
      <List label="Trusted browsers">
        {browsers.map(({ id, userAgent, lastUsedAt, expiresAt }) => (
          <Row
            key={id}
            title={deviceOf(userAgent)}
            side={
              <Form {...forget} className="inline" fields={{ id }}>
                <Submit tone="plain" of={deviceOf(userAgent)}>
                  Forget
                </Submit>
              </Form>
            }
          >
            Last used <When at={lastUsedAt} />, ends <When at={expiresAt} />
          </Row>
        ))}
      </List>
    </Panel>
  );
}

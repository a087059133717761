import { path } from '#app/(console)/_forms/form.ts';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel } from '#app/(console)/_ui/pieces.tsx';
import { Submit } from '#app/(console)/_ui/submit.tsx';
import type { FormStart } from '#app/(console)/_visit/start-form.ts';
import type { PersonView } from '#lib/management/index.ts';

export function EndAll({ person, start }: { person: PersonView; start: FormStart }) {
  const name = person.name || person.email || 'this person';
  return (
    <Panel
      id="person"
      heading={`Only those of ${name}`}
      lead="Signing a person out everywhere also ends their tokens."
    >
      <Form {...start} fields={{ person: person.id }}>
        <div className="form-actions">
          <Submit tone="danger">Sign them out everywhere</Submit>
          <a className="button quiet" href={path('admin', 'people', person.id)}>
            Their page
          </a>
          <a className="button quiet" href="/admin/sessions">
            Everybody’s sessions
          </a>
        </div>
      </Form>
    </Panel>
  );
}

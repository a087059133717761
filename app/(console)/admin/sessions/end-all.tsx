import { path } from '#app/(console)/_forms/form.ts';
import { Panel } from '#app/(console)/_ui/pieces.tsx';
import type { PersonView } from '#lib/management/index.ts';

export function EndAll({ person }: { person: PersonView }) {
  const name = person.name || person.email || 'this person';
  return (
    <Panel
      id="person"
      heading={`Only those of ${name}`}
      lead="Signing a person out everywhere also ends their tokens."
    >
      <div className="form-actions">
        <a className="button danger" href={path('admin', 'people', person.id, 'sign-out')}>
          Sign them out everywhere…
        </a>
        <a className="button quiet" href={path('admin', 'people', person.id)}>
          Their page
        </a>
        <a className="button quiet" href="/admin/sessions">
          Everybody’s sessions
        </a>
      </div>
    </Panel>
  );
}

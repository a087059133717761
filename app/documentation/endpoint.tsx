import type { ReactNode } from 'react';
import { CodeBlock } from '#app/_components/code-block.tsx';
import { Prose } from '#app/_components/prose.tsx';
import type { Described } from '#lib/reference/described.ts';
import type { Addresses } from '#lib/reference/endpoint.ts';

type EndpointProps = { endpoint: Described; addresses: Addresses };

/** One endpoint: what it is for, a command to paste, parameters, answers and errors. */
export function Endpoint({ endpoint, addresses }: EndpointProps) {
  const { id, method, path, summary, description, parameters, answers, declares } = endpoint;
  return (
    <article className="endpoint" id={`endpoint-${id}`} aria-labelledby={`endpoint-${id}-title`}>
      <h3 id={`endpoint-${id}-title`}>{summary}</h3>
      <p className="endpoint-address">
        <span className="badge">{method}</span> <code>{path}</code>
      </p>
      <p>
        <Prose>{description}</Prose>
      </p>
      <CodeBlock label={`Try it: ${summary}`} code={endpoint.command(addresses)} />
      <Rows title="Parameters" none={parameters.length === 0}>
        {parameters.map(({ name, in: place, required, description }) => (
          <div key={`${place} ${name}`}>
            <dt>
              <code>{name}</code>
              <span>{`${place}, ${demand(required)}`}</span>
            </dt>
            <dd>
              <Prose>{description}</Prose>
            </dd>
          </div>
        ))}
      </Rows>
      <Rows title="Answers" none={answers.length === 0}>
        {answers.map(({ status, description, example }) => (
          <div key={`${status} ${description}`}>
            <dt>
              <code>{status}</code>
            </dt>
            <dd>
              <Prose>{description}</Prose>
              {example !== undefined && <CodeBlock label={`Example of ${status}`} code={example} />}
            </dd>
          </div>
        ))}
      </Rows>
      <Rows title="Errors" none={declares.errors.length === 0}>
        {declares.errors.map(({ status, error, when }) => (
          <div key={`${status} ${error} ${when}`}>
            <dt>
              <code>{error}</code>
              <span>{status}</span>
            </dt>
            <dd>
              <Prose>{when}</Prose>
            </dd>
          </div>
        ))}
      </Rows>
    </article>
  );
}

function Rows({ title, none, children }: { title: string; none: boolean; children: ReactNode }) {
  if (none) return null;
  return (
    <>
      <h4>{title}</h4>
      <dl className="rows">{children}</dl>
    </>
  );
}

function demand(required: string): string {
  if (required === 'yes') return 'required';
  return required === 'no' ? 'optional' : `required: ${required}`;
}

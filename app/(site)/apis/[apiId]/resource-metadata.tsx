import { CodeBlock } from '#app/_components/code-block.tsx';
import { CopyField } from '#app/_components/copy-field.tsx';
import type { PublishedApi } from '#lib/oauth/endpoints/published.ts';

/** How clients that know only the API's address find its issuers (RFC 9728): for the API's operators. */
export function ResourceMetadata({ api }: { api: PublishedApi }) {
  const { here, there } = api.resourceMetadata;
  return (
    <section aria-labelledby="resource-metadata">
      <h2 id="resource-metadata">For clients that only know the API’s address (MCP)</h2>
      <p>
        MCP clients discover the authorization server from the API. This metadata document (RFC 9728) is made
        from the settings here:
      </p>
      <CopyField label="metadata document of the API" value={here} />
      {here !== there && (
        <>
          <p>
            Serve a copy of it, or a proxy to it, at <code>{there}</code>; or let the API’s own 401 name it:
          </p>
          <CodeBlock
            label="The 401 of the API"
            code={`WWW-Authenticate: Bearer resource_metadata="${here}"`}
          />
        </>
      )}
    </section>
  );
}

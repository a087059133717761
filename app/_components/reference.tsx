/** An id to name when asking for help. */
export function Reference({ name, id }: { name: string; id: string }) {
  return (
    <dl className="facts">
      <div>
        <dt>{name}</dt>
        <dd>
          <code>{id}</code>
        </dd>
      </div>
    </dl>
  );
}

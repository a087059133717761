/** An id that somebody who asks for help can name. */
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

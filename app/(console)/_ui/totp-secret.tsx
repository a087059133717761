// The secret of an authenticator app that is being set up: for its camera, and to be typed.
type TotpSecretProps = { svg: string; spelled: string };

export function TotpSecret({ svg, spelled }: TotpSecretProps) {
  return (
    <div className="app-secret">
      <p>Read this with an authenticator app, or type the key under it into one.</p>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: drawn here (lib/factors), of nothing that anybody typed */}
      <div className="qr" dangerouslySetInnerHTML={{ __html: svg }} />
      <p>
        <code>{spelled}</code>
      </p>
    </div>
  );
}

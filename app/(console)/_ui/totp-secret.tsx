// The secret of an authenticator app that is being set up: for its camera, and to be typed.
import { visitWords } from './page-language.ts';

type TotpSecretProps = { svg: string; spelled: string };

export async function TotpSecret({ svg, spelled }: TotpSecretProps) {
  const { t } = await visitWords();
  return (
    <div className="app-secret">
      <p>{t('security.app_read')}</p>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: drawn here (lib/factors), of nothing that anybody typed */}
      <div className="qr" role="img" title={t('passkey.picture')} dangerouslySetInnerHTML={{ __html: svg }} />
      <p>
        <code>{spelled}</code>
      </p>
    </div>
  );
}

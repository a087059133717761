import type { Messages } from '../types.ts';

export const accountDe: Pick<Messages, 'account'> = {
  account: {
    may_not: 'Das dürfen Sie nicht tun',
    another_link: 'Neuen Link anfordern',
    back_to_sign_in: 'Zurück zur Anmeldung',
    choose_password: 'Neues Passwort wählen',
    link_used: 'Dieser Link funktioniert nicht mehr',
    link_used_lead: 'Er wurde schon benutzt oder ist zu alt.',
    mail_here: 'Dieser Dienst hat keinen Mailserver: Die E-Mail steht unter {address}.',
    marked: 'Es wurde noch nichts gespeichert. Prüfen Sie, was unten markiert ist.',
    new_password: 'Neues Passwort',
    not_there: 'Das gibt es nicht',
    open_again: 'Seite erneut öffnen',
    reset_asked:
      'Öffnen Sie den Link in der E-Mail innerhalb von {minutes} Minuten. Nichts angekommen? Sehen Sie im Spam-Ordner nach.',
    reset_for: 'Für {email}. Alle Anmeldungen enden, und Sie melden sich mit dem neuen Passwort an.',
    reset_lead: 'Wir senden einen Link an Ihre Adresse. Er funktioniert einmal.',
    reset_notice: 'Wenn es ein Konto mit dieser Adresse gibt, ist ein Link dorthin unterwegs.',
    reset_sent: 'Sehen Sie in Ihre E-Mails',
    save_password: 'Passwort speichern',
    send_link: 'Link senden',
    to_account: 'Zu Ihrem Konto',
    too_old: 'Diese Seite war zu lange oder in einem anderen Browser geöffnet. Versuchen Sie es noch einmal.',
    unreachable:
      'Der Dienst hat nicht geantwortet. Warten Sie einen Moment und senden Sie es dann erneut: Es wird nur einmal angenommen.',
    verify: 'Ja, sie gehört mir',
    verify_heading: 'Ist das Ihre Adresse?',
    verify_used_lead:
      'Er wurde schon benutzt oder ist zu alt. In Ihrem Konto können Sie einen neuen anfordern.',
  },
};

import type { Messages } from '../types.ts';

export const refusalsDe: Pick<
  Messages,
  'address' | 'delegation' | 'own_account' | 'password' | 'second_step' | 'link'
> = {
  address: {
    change_gone: 'Diese Codes sind verbraucht, zu alt oder waren zu oft falsch. Beginnen Sie noch einmal.',
    code_digits: 'Ein Code hat sechs Ziffern.',
    code_wrong: 'Einer der beiden Codes ist nicht richtig.',
    configured: 'Ihr Konto ist in der Konfigurationsdatei festgelegt: Lassen Sie Ihre Adresse dort ändern.',
    none: 'Hier gibt es keine Adresse, die sich ändern ließe.',
    none_to_verify: 'Hier gibt es keine Adresse zu bestätigen.',
    same: 'Das ist schon Ihre Adresse.',
    taken: 'Diese Adresse hat inzwischen ein eigenes Konto.',
  },
  delegation: {
    gone: 'Das Recht dieses Agenten ist schon beendet.',
    no_agent: 'Dieser Agent darf dort für niemanden handeln, oder er darf es nicht mehr.',
    scopes: 'Es muss etwas sein, das der Agent dort darf.',
    too_many: 'Eine Person hat höchstens {most} Agenten: Beenden Sie zuerst einen.',
    until_far: 'Der letzte Tag darf höchstens {days} Tage entfernt sein.',
    until_past: 'Der letzte Tag muss in der Zukunft liegen.',
  },
  own_account: {
    device_name: 'Der Name darf höchstens 60 Zeichen haben.',
    consent_gone: 'Diese Einwilligung wurde schon widerrufen.',
    gone: 'Ihr Konto gibt es nicht mehr.',
    language: 'Hier muss eine Sprache stehen, zum Beispiel de oder pt-BR.',
    link_gone: 'Dieser Link wurde schon benutzt oder ist zu alt. Fordern Sie einen neuen an.',
    picture:
      'Hier muss eine https://-Adresse mit höchstens 2048 Zeichen stehen, ohne Benutzernamen und Passwort.',
    session_gone: 'Diese Anmeldung ist schon beendet.',
    signed_out: 'Ihre Anmeldung ist beendet. Melden Sie sich noch einmal an.',
    too_many_mails: 'Zu viele E-Mails. Warten Sie eine Weile und versuchen Sie es dann noch einmal.',
    word: 'Hier muss „delete“ stehen.',
    zone: 'Hier muss eine Zeitzone stehen, zum Beispiel Europe/Berlin.',
  },
  password: {
    no_method: 'Hier ist keine Anmeldung mit Passwort möglich.',
    none: 'Hier gibt es kein Passwort zu ändern: Sie melden sich woanders an.',
    same: 'Das ist Ihr jetziges Passwort.',
    wrong: 'Das ist nicht Ihr Passwort.',
  },
  second_step: {
    apps_full: 'Sie haben fünf Authenticator-Apps, mehr sind nicht möglich. Entfernen Sie zuerst eine.',
    app_changed: 'Ihre App wurde inzwischen ersetzt oder entfernt: Öffnen Sie diese Seite neu.',
    app_gone: 'Diese App wurde schon entfernt.',
    at_console: 'Das ist nur in der Konsole möglich.',
    browser_gone: 'Dieser Browser wurde schon vergessen.',
    codes_alone:
      'Wiederherstellungscodes ersetzen einen Passkey oder eine App: Richten Sie zuerst davon etwas ein.',
    due: 'Dafür ist jetzt ein zweiter Faktor nötig: Richten Sie einen ein.',
    none: 'Für Ihre Anmeldemethode gibt es hier keinen zweiten Faktor.',
    passkey_gone: 'Dieser Passkey wurde schon entfernt.',
    passkey_name: 'Der Name muss 1 bis 60 Zeichen haben.',
  },
  link: {
    must_change: 'Ihr Passwort muss zuerst geändert werden.',
    no_longer_there: 'Diese Anmeldemethode gibt es nicht mehr. Wählen Sie eine andere.',
    too_many:
      'Zu viele Anmeldungen aus Ihrem Netz. Warten Sie eine Weile und versuchen Sie es dann noch einmal.',
    at_console: 'Melden Sie sich dazu an der Konsole an.',
    gone: 'Diese Anmeldemethode wurde schon entfernt.',
    has_password:
      'Diese Anmeldung gehört zu einem Konto mit Passwort. Melden Sie sich damit an und fügen Sie diese Anmeldemethode dort hinzu.',
    has_second_step:
      'Diese Anmeldung gehört zu einem Konto mit einem eigenen zweiten Faktor. Melden Sie sich damit an und entfernen Sie diesen zuerst.',
    in_use:
      'Damit sind Sie gerade angemeldet. Melden Sie sich auf andere Weise an und entfernen Sie sie dann.',
    last: 'Das ist Ihre einzige Anmeldemethode.',
    other_name: 'Sie melden sich dort schon unter einem anderen Namen an. Entfernen Sie diesen zuerst.',
    proof_old: 'Diese Anmeldung ist zu alt oder gehört hier zu einer anderen. Beginnen Sie noch einmal.',
    silent: 'Dieser Dienst antwortet nicht. Versuchen Sie es gleich noch einmal.',
    taken: 'Diese Anmeldemethode gehört schon Ihnen, oder es gibt sie nicht mehr.',
    wrong: 'Benutzername oder Passwort ist nicht richtig.',
    yours: 'Diese Anmeldemethode gehört schon Ihnen.',
  },
};

import type { Messages } from '../types.ts';

export const securityDe: Pick<Messages, 'security' | 'links'> = {
  security: {
    apps: 'Authenticator-Apps',
    app_another: 'Weitere App hinzufügen',
    no_app: 'Diese App gibt es nicht',
    nudge_codes:
      'Nur noch {left, plural, one {# Wiederherstellungscode ist übrig.} other {# Wiederherstellungscodes sind übrig.}}',
    nudge_phone_go: 'Neues Telefon einrichten',
    nudge_phone:
      'Sie haben {at} einen Wiederherstellungscode verwendet, und {left, plural, one {# ist} other {# sind}} noch übrig. Wenn Ihr Telefon verloren ist, richten Sie das neue ein.',
    app_replace_lead:
      'Für ein neues Telefon. Ihre jetzige App funktioniert, bis Sie einen Code der neuen eingeben. Sie bleiben angemeldet, und Ihre Wiederherstellungscodes gelten weiter.',
    app_replace: 'App ersetzen',
    add: 'Einen zweiten Faktor hinzufügen',
    add_first: 'Zuerst',
    add_passkey: 'Passkey hinzufügen',
    add_still_you: 'Bestätigen Sie, dass Sie es noch sind',
    add_takes: 'Dafür darf Ihre Anmeldung höchstens 15 Minuten alt sein. {show}',
    app: 'Authenticator-App',
    app_an: 'Eine Authenticator-App',
    app_dates: 'Eingerichtet: {at}, zuletzt verwendet: {used}.',
    app_lead: 'Sie zeigt alle 30 Sekunden einen neuen Code an.',
    app_read:
      'Scannen Sie dies mit einer Authenticator-App oder tippen Sie den Schlüssel darunter in die App ein.',
    app_renewed:
      'Diese Seite zeigt einen neuen Code. Scannen Sie ihn, und löschen Sie den früheren Eintrag in Ihrer App.',
    app_remove: 'App entfernen',
    app_set_up: 'Eine App einrichten',
    app_set_up_it: 'App einrichten',
    browsers: 'Vertrauenswürdige Browser',
    browsers_dates: 'Zuletzt verwendet: {used}, läuft ab: {ends}',
    browsers_lead:
      'Anwendungen fragen dort nicht nach Ihrem zweiten Faktor. Diese Konsole fragt immer danach.',
    code_hint: 'Die sechs Ziffern, die sie dann anzeigt.',
    codes: 'Wiederherstellungscodes',
    codes_lead: 'Jeder Code ersetzt einmal einen Passkey oder die App, falls Sie sie verlieren.',
    codes_left:
      '{left, plural, one {# Code ist noch übrig.} other {# Codes sind noch übrig.}} Neue Codes ersetzen sie.',
    codes_make: 'Neue Codes erstellen',
    codes_none: 'Sie haben keine Wiederherstellungscodes.',
    elsewhere: 'Sie melden sich anderswo an, und hier gibt es keinen zweiten Faktor einzurichten.',
    factors: 'Passkeys, Authenticator-App, Wiederherstellungscodes',
    forget: 'Vergessen',
    forget_all: 'Alle vergessen',
    heading: 'Anmeldung und Sicherheit',
    last: 'Das ist Ihr letzter: Ihre Wiederherstellungscodes und vertrauenswürdigen Browser werden mit entfernt.',
    last_role:
      'Ihre Rolle verlangt einen zweiten Faktor, deshalb werden Sie bei der nächsten Anmeldung gebeten, einen einzurichten.',
    lead: 'Womit Sie sich zusätzlich zu Ihrem Passwort oder an seiner Stelle anmelden.',
    no_address:
      'Hier ist keine E-Mail-Adresse von Ihnen hinterlegt, deshalb werden Ihnen Änderungen nicht per E-Mail mitgeteilt.',
    no_passkey: 'Diesen Passkey gibt es nicht',
    no_passkey_lead: 'Er wurde schon entfernt.',
    none: 'Keine.',
    none_yet:
      'Sie haben noch keinen zweiten Faktor. Wenn Sie einen hinzufügen, bitten Anwendungen Sie, sich neu anzumelden.',
    only_at: 'nur bei {host}',
    passkey: 'Ein Passkey',
    passkey_lead:
      'Ihr Browser fragt nach Ihrem Finger, Ihrem Gesicht oder Ihrer PIN. Dafür wird JavaScript benötigt.',
    passkey_name_hint: 'Damit Sie ihn wiedererkennen, zum Beispiel Mein Handy.',
    passkey_one_device: 'Auf einem Gerät · hinzugefügt: {at}, zuletzt verwendet: {used}',
    passkey_synced: 'Synchronisiert · hinzugefügt: {at}, zuletzt verwendet: {used}',
    passkeys: 'Passkeys',
    passkeys_lead:
      'Melden Sie sich mit Ihrem Gerät an. Sie geben nichts ein, also kann niemand etwas abfangen.',
    remove: 'Entfernen',
    remove_lead: 'Sie können sich damit nicht mehr anmelden, weder hier noch bei Anwendungen.',
    rename: 'Name des Passkeys',
  },
  links: {
    add: '{method} hinzufügen',
    add_lead:
      'Melden Sie sich einmal dort an, um das Konto zu verknüpfen. Es ändert sich nichts, bevor Sie zustimmen.',
    all: 'Alle anzeigen und weitere hinzufügen',
    as: 'Als {name}.',
    current: 'Damit sind Sie gerade angemeldet.',
    for: 'Für {email}. {change}',
    go: 'Konto verknüpfen',
    heading: 'Anmeldemethoden',
    its_password: 'Passwort dort',
    join: 'Hinzufügen',
    join_heading: 'Diese Anmeldemethode hinzufügen?',
    join_other:
      'Bisher war das hier ein eigenes Konto (angelegt: {since}). Dieses Konto endet: Es wird abgemeldet, und {count, plural, one {die Anwendung, die damit Zugang hatte, bittet} other {die # Anwendungen, die damit Zugang hatten, bitten}} Sie, sich wieder anzumelden, als die Person, die Sie hier sind.',
    join_who:
      'Sie haben sich dort gerade als {name} angemeldet. Von jetzt an melden Sie sich damit hier als {me} an.',
    lead: 'Mit jeder davon melden Sie sich als dieselbe Person an.',
    not_added: 'Das wurde nicht hinzugefügt',
    prove: 'Konto verknüpfen',
    take_away: 'Entfernen',
    title: 'Diese Anmeldemethode hinzufügen',
    used: 'Zuletzt verwendet: {at}.',
    username: 'Benutzername dort',
  },
};

export const mailsDe = {
  mail: {
    app_renamed: 'Eine Authenticator-App Ihres Kontos heißt jetzt „{name}“.',
    app_renamed_subject: 'Eine Authenticator-App wurde umbenannt',
    app_replaced_subject: 'Ihre Authenticator-App wurde ersetzt',
    app_replaced:
      'Eine Authenticator-App Ihres Kontos wurde durch eine andere ersetzt. Codes der alten gelten nicht mehr.',
    account_deleted:
      'Ihr Konto wurde gelöscht, wie Sie es auf der Kontoseite gewünscht haben. Jede Anmeldung ist beendet, und keine Anwendung handelt mehr in Ihrem Namen.',
    account_deleted_not_you: 'Wenn Sie das nicht waren, wenden Sie sich an den Betreiber dieses Dienstes.',
    account_deleted_subject: 'Ihr Konto ist gelöscht',
    address_changed:
      'Die E-Mail-Adresse Ihres Kontos wurde von einem Administrator geändert: Es ist nicht mehr diese.',
    address_changed_ended:
      'Sie sind überall abgemeldet, und Links aus früheren E-Mails funktionieren nicht mehr.',
    address_changed_subject: 'Ihre Adresse wurde geändert',
    address_changed_unknown:
      'Wenn Sie davon nichts wissen, wenden Sie sich an den Betreiber dieses Dienstes.',
    address_code:
      'Wenn Sie das sind, geben Sie den Code {code} innerhalb von {minutes} Minuten dort ein, wo Sie begonnen haben.',
    address_code_new: 'Jemand möchte diese E-Mail-Adresse für das eigene Konto verwenden.',
    address_code_new_not_you: 'Wenn nicht, müssen Sie nichts tun: Es ändert sich nichts.',
    address_code_old:
      'Jemand, der in Ihrem Konto angemeldet ist, möchte ihm eine andere E-Mail-Adresse geben.',
    address_code_old_not_you: 'Wenn nicht, ändert sich nichts. Ändern Sie Ihr Passwort:',
    address_code_subject: 'Ein Code zum Ändern Ihrer Adresse',
    address_moved: 'Die E-Mail-Adresse Ihres Kontos ist jetzt {email}. Es ist nicht mehr diese.',
    address_moved_links: 'Links aus früheren E-Mails funktionieren nicht mehr.',
    address_taken:
      'Jemand möchte diese E-Mail-Adresse für das eigene Konto verwenden, aber sie gehört schon zu einem Konto und bleibt bei diesem.',
    address_taken_subject: 'Diese Adresse hat ein Konto',
    address_taken_you:
      'Wenn Sie das waren, melden Sie sich mit dieser Adresse an oder wählen Sie eine andere.',
    admitted:
      'Ihr Konto ist genehmigt. Gehen Sie zurück zur Anwendung und melden Sie sich mit dem Passwort an, das Sie gewählt haben, oder beginnen Sie hier:',
    admitted_subject: 'Ihr Konto ist bereit',
    app_added:
      'Für Ihr Konto wurde eine Authenticator-App eingerichtet. Beim Anmelden können Sie nach einem Code aus dieser App gefragt werden.',
    app_added_subject: 'Eine Authenticator-App wurde eingerichtet',
    app_removed: 'Eine Authenticator-App Ihres Kontos wurde entfernt. Ihre Codes gelten nicht mehr.',
    app_removed_subject: 'Ihre Authenticator-App wurde entfernt',
    asks: '{who} beantragt ein Abonnement von {client} ({id}) für {api}.',
    asks_all_scopes: 'Scopes, alle dieser API:',
    asks_by_document: 'Nicht registriert: Ein Dokument bei {host} beschreibt den Client.',
    asks_by_itself: 'Nicht registriert: Der Client hat sich selbst registriert.',
    asks_device: 'Gerät: Personen verbinden es mit einem Code, den es zeigt und den sie eingeben.',
    asks_in_browser: 'Client: läuft im Browser.',
    asks_machine: 'Maschine: Die Anwendung erhält Tokens im eigenen Namen, ohne dass jemand angemeldet ist.',
    asks_more_scopes: 'Weitere Scopes: {count}',
    asks_on_device: 'Client: läuft auf einem Telefon oder Desktop.',
    asks_on_server: 'Client: läuft auf einem Server.',
    asks_pause: 'Sie erhalten höchstens eine E-Mail über Anfragen in zehn Minuten, gleich wie viele es sind.',
    asks_scopes: 'Scopes:',
    asks_several: 'Anfragen, die auf Ihre Entscheidung warten: {count}.',
    asks_several_subject: 'Anfragen, die auf Ihre Entscheidung warten: {count}',
    asks_trusted:
      'Vertrauenswürdig: ja. Niemand wird um Einwilligung gebeten, und die Anwendung kann selbst nach Passwörtern fragen.',
    asks_unlisted: 'Anfragen, die nur der Posteingang zeigt: {count}.',
    asks_untrusted: 'Vertrauenswürdig: nein.',
    asks_decide: 'Sehen Sie sich die Anfragen an und entscheiden Sie:',
    asks_message: 'Die Nachricht dazu:',
    asks_names: 'Der Client hat einen Namen je Sprache. Personen sehen den in ihrer Sprache:',
    asks_subject: '{client} beantragt Zugriff auf {api}',
    browser_trusted: 'Ein Browser fragt bei der Anmeldung nicht mehr nach Ihrem zweiten Faktor.',
    browser_trusted_subject: 'Ein Browser ist vertrauenswürdig',
    button_account: 'Konto ansehen',
    button_confirm: 'Adresse bestätigen',
    button_invited: 'Konto anlegen',
    button_look: 'Ansehen',
    button_password: 'Neues Passwort wählen',
    button_sign_in: 'Anmelden',
    code: 'Ihr Code ist {code}. Geben Sie ihn innerhalb von {minutes} Minuten dort ein, wo Sie begonnen haben.',
    code_link: 'Im selben Browser geht es auch mit diesem Link:',
    code_not_you: 'Wenn nicht Sie ein Konto anlegen wollten, müssen Sie nichts tun: Es wird keines angelegt.',
    code_used:
      'Mit einem Wiederherstellungscode hat sich jemand bei Ihrem Konto angemeldet. Der Code gilt nicht noch einmal; wie viele übrig sind, steht auf Ihrer Kontoseite.',
    code_used_subject: 'Ein Wiederherstellungscode wurde verwendet',
    codes_ended:
      'Bei Anmeldungen an Ihrem Konto wurden hundert falsche Einmalcodes nacheinander eingegeben. Die Codes Ihrer App gelten nicht mehr, bis Sie sich mit einem Passkey oder einem Wiederherstellungscode anmelden.',
    codes_ended_subject: 'Die Codes Ihrer App gelten vorerst nicht',
    codes_guessed:
      'Bei der Anmeldung an Ihrem Konto wurden zehn falsche Einmalcodes nacheinander eingegeben. Wer sie eingegeben hat, kannte das Passwort: Waren Sie es nicht, sollten Sie es sofort ändern.',
    codes_guessed_subject: 'Falsche Codes bei der Anmeldung an Ihrem Konto',
    device_connected: 'Ein Gerät kann jetzt in Ihrem Namen handeln, weil sein Code eingegeben wurde: {name}.',
    device_connected_subject: 'Ein Gerät ist verbunden',
    codes_made:
      'Für Ihr Konto wurden neue Wiederherstellungscodes erstellt. Die bisherigen gelten nicht mehr.',
    codes_made_subject: 'Neue Wiederherstellungscodes wurden erstellt',
    confirm_subject: 'Bestätigen Sie Ihre Adresse',
    decided_approved: 'Das Abonnement von {client} ({id}) für {api} wurde genehmigt.',
    decided_approved_subject: '{client} → {api}: genehmigt',
    decided_goes_on:
      'Öffnen Sie die Anwendung noch einmal oder die wartende Seite: Derselbe Link führt weiter.',
    decided_rejected: 'Das Abonnement von {client} ({id}) für {api} wurde abgelehnt.',
    decided_rejected_subject: '{client} → {api}: abgelehnt',
    decided_resumed: 'Das Abonnement von {client} ({id}) für {api} wurde fortgesetzt.',
    decided_resumed_subject: '{client} → {api}: fortgesetzt',
    decided_revoked: 'Das Abonnement von {client} ({id}) für {api} wurde widerrufen.',
    decided_revoked_subject: '{client} → {api}: widerrufen',
    decided_several: 'Entscheidungen über Ihre Abonnements: {count}.',
    decided_several_subject: 'Entscheidungen über Ihre Abonnements: {count}',
    decided_suspended: 'Das Abonnement von {client} ({id}) für {api} wurde ausgesetzt.',
    decided_suspended_subject: '{client} → {api}: ausgesetzt',
    decided_undone:
      'Die Entscheidung über das Abonnement von {client} ({id}) für {api} wurde rückgängig gemacht. Es wartet wieder auf eine Entscheidung.',
    decided_undone_subject: '{client} → {api}: wartet wieder',
    decided_unlisted: 'Weitere Entscheidungen, die in dieser E-Mail nicht stehen: {count}.',
    decided_why: 'Begründung:',
    delegation_given:
      '{agent} darf bis {until} in Ihrem Namen bei {api} handeln: Das wurde auf Ihrer Kontoseite erlaubt.',
    delegation_given_subject: '{agent} darf bei {api} für Sie handeln',
    delegation_not_you: 'Wenn nicht, beenden Sie das auf Ihrer Kontoseite und ändern Sie Ihr Passwort:',
    factor_not_you: 'Wenn nicht, ändern Sie Ihr Passwort und prüfen Sie, womit Sie sich anmelden:',
    factor_you: 'Wenn Sie das selbst getan oder darum gebeten haben, müssen Sie nichts tun.',
    factors_reset:
      'Der Betreiber dieses Dienstes hat die Passkeys, die Authenticator-App und die Wiederherstellungscodes Ihres Kontos entfernt. Sie sind überall abgemeldet und melden sich nur mit Ihrem Passwort an, bis Sie einen neuen zweiten Faktor einrichten.',
    factors_reset_subject: 'Ihr zweiter Faktor wurde entfernt',
    has_account: 'Jemand wollte mit dieser Adresse ein Konto anlegen, aber es gibt schon eines.',
    has_account_not_you: 'Wenn nicht, müssen Sie nichts tun: Ihr Konto bleibt, wie es ist.',
    has_account_password: 'Sie wissen Ihr Passwort nicht? Wählen Sie ein neues:',
    has_account_subject: 'Sie haben schon ein Konto',
    has_account_you:
      'Wenn Sie das waren, gehen Sie zurück zur Anwendung und melden Sie sich an, oder sehen Sie sich Ihr Konto an:',
    invited:
      'Sie sind eingeladen, bei {host} ein Konto anzulegen. Öffnen Sie diesen Link innerhalb von {days} Tagen; er funktioniert einmal:',
    invited_subject: 'Sie sind eingeladen',
    invited_unexpected:
      'Wenn Sie keine Einladung erwartet haben, müssen Sie nichts tun: Es wird kein Konto angelegt.',
    no_account:
      'Jemand hat für diese Adresse ein neues Passwort angefordert, aber hier verwendet kein Konto sie zur Anmeldung.',
    no_account_subject: 'Hier gibt es kein Konto',
    no_account_you:
      'Wenn Sie das waren, versuchen Sie es mit einer anderen Ihrer Adressen. Wenn nicht, müssen Sie nichts tun.',
    ownerless:
      'Jemand hat das eigene Konto gelöscht. Die Anwendungen dieser Person bestehen weiter und haben jetzt keinen Eigentümer:',
    ownerless_subject: 'Anwendungen ohne Eigentümer',
    passkey_added:
      'Der Passkey „{name}“ wurde Ihrem Konto hinzugefügt. Mit ihm melden Sie sich ohne Passwort an.',
    passkey_added_subject: 'Ein Passkey wurde hinzugefügt',
    passkey_removed:
      'Der Passkey „{name}“ wurde aus Ihrem Konto entfernt. Mit ihm können Sie sich nicht mehr anmelden.',
    passkey_removed_subject: 'Ein Passkey wurde entfernt',
    passkey_renamed: 'Ein Passkey Ihres Kontos heißt jetzt „{name}“.',
    passkey_renamed_subject: 'Ein Passkey wurde umbenannt',
    password_adopted:
      'Sie haben sich mit dem Passwort angemeldet, das Sie beim früheren Dienst hatten. Von jetzt an ist es hier Ihr Passwort, und Links, die Sie vorher per E-Mail bekommen haben, gelten nicht mehr.',
    password_adopted_not_you:
      'Wenn Sie das nicht waren, wählen Sie sofort ein neues Passwort: „Passwort vergessen?“ auf der Anmeldeseite.',
    password_adopted_subject: 'Das Passwort Ihres früheren Kontos gilt jetzt hier',
    person_waits:
      'Jemand hat ein Konto beantragt und wartet auf Genehmigung. Sehen Sie nach, wer es ist, und entscheiden Sie:',
    person_waits_hourly: 'Sie erhalten höchstens eine solche E-Mail pro Stunde, gleich wie viele warten.',
    person_waits_subject: 'Jemand beantragt ein Konto',
    rejected: 'Ihr Antrag auf ein Konto bei {host} wurde abgelehnt.',
    rejected_subject: 'Ihr Antrag wurde abgelehnt',
    reset:
      'Jemand hat für diese Adresse ein neues Passwort angefordert. Wenn Sie das waren, wählen Sie es hier innerhalb von {minutes} Minuten:',
    reset_not_you: 'Wenn nicht, müssen Sie nichts tun: Ihr Passwort bleibt, wie es ist.',
    reset_subject: 'Wählen Sie ein neues Passwort',
    somebody: 'Jemand',
    test: 'Dies ist eine Testnachricht: E-Mails dieses Dienstes kommen hier an.',
    test_subject: 'Testnachricht',
    verify: 'Bestätigen Sie, dass diese Adresse Ihnen gehört:',
    identity_linked: 'Von jetzt an können Sie sich auch mit „{method}“ anmelden.',
    identity_linked_subject: 'Eine Anmeldemethode wurde hinzugefügt',
    identity_unlinked: 'Mit „{method}“ können Sie sich nicht mehr anmelden.',
    identity_unlinked_subject: 'Eine Anmeldemethode wurde entfernt',
    link_not_you:
      'Wenn Sie das nicht waren, ändern Sie Ihr Passwort und prüfen Sie, womit Sie sich anmelden:',
    waiting_ended:
      'Ihr Antrag auf ein Konto bei {host} ist ohne Entscheidung beendet: Die Anmeldemethode, um die es ging, wurde entfernt. Ihre Angaben sind gelöscht.',
    waiting_ended_subject: 'Ihr Antrag ist beendet',
  },
};

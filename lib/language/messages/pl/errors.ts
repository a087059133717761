export const errorsPl = {
  errors: {
    another_browser:
      'Jest niepełny lub został otwarty w innej przeglądarce. Wróć do aplikacji i zacznij od nowa.',
    cannot_show: 'Nie możemy teraz pokazać tej strony. Odczekaj chwilę i wczytaj ją ponownie.',
    elsewhere_or_late:
      'Rozpoczęto to w innej przeglądarce lub ponad dziesięć minut temu. Wróć do aplikacji i zacznij od nowa.',
    expired: 'To logowanie wygasło',
    expired_lead: 'Minęło ponad dziesięć minut. Wróć do aplikacji i zacznij od nowa.',
    form: 'Ten formularz nie jest już ważny',
    form_lead:
      'Wysłano go z innej strony lub przeglądarki albo w międzyczasie zalogował się ktoś inny. Wróć do aplikacji i zacznij od nowa.',
    link: 'Ten link logowania nie działa',
    mistyped: 'Adres jest błędnie wpisany albo tego, co tu było, już nie ma.',
    moment: 'Chwileczkę, proszę',
    no_cookies:
      'Otwarto go w innej przeglądarce albo ta nie zachowuje plików cookie tej witryny. Zezwól na nie, wróć do aplikacji i zacznij od nowa.',
    no_page: 'Nie ma takiej strony',
    no_return: 'Link nie wskazuje, dokąd wrócić. Powiadom osobę, od której go masz.',
    nothing_here: 'Pod tym adresem nic nie ma. Sprawdź link lub powiadom osobę, od której go masz.',
    not_available: 'Chwilowo niedostępne',
    not_opened_so: 'Nie można tego otworzyć w ten sposób. Wróć do aplikacji i zacznij od nowa.',
    pushed_request:
      'Link tego logowania został już użyty, jest zbyt stary lub został zmieniony. Wróć do aplikacji i zacznij od nowa.',
    service_unavailable: 'Usługa jest teraz niedostępna. Spróbuj ponownie za chwilę.',
    sign_out_link: 'Ten link wylogowania nie działa',
    sign_out_link_lead: 'Nikt nie został wylogowany. Wróć do aplikacji i spróbuj ponownie.',
    slow_lead:
      'Przeglądarka zbyt długo wysyłała te dane, dlatego nie zostały odczytane. Wróć i wyślij je jeszcze raz.',
    started_elsewhere: 'Ten adres jest krokiem logowania rozpoczętego gdzie indziej.',
    started_elsewhere_or_late:
      'To logowanie rozpoczęto gdzie indziej lub zbyt dawno temu. Wróć do aplikacji i zacznij od nowa.',
    too_much: 'Przeglądarka wysłała zbyt dużo danych',
    too_much_lead:
      'Zwykle przyczyną są pliki cookie zapisane przez inne witryny w tej domenie. Usuń pliki cookie tej domeny w ustawieniach przeglądarki, a potem wróć do aplikacji i zacznij od nowa.',
    two_applications: 'Link podaje swoją aplikację więcej niż raz.',
    two_returns: 'Link podaje więcej niż jeden adres powrotu.',
    unknown_application: 'Aplikacja, która Cię tu skierowała, jest nieznana lub nie jest już używana.',
    unnamed_application: 'Link nie wskazuje, z której aplikacji pochodzi. Powiadom osobę, od której go masz.',
    unreadable: 'Nie można odczytać tego adresu',
    unreadable_lead:
      'Zawiera znak, którego nie może zawierać żaden tekst. Sprawdź go lub zacznij od pierwszej strony.',
    unregistered_return: 'Link prowadziłby do adresu, który nie jest zarejestrowany dla tej aplikacji.',
    used_step: 'Wróciłeś do części logowania, która została już użyta. Możesz kontynuować stąd.',
    wrong: 'Coś poszło nie tak',
    wrong_lead: 'Coś poszło nie tak po naszej stronie. Podaj operatorowi identyfikator żądania.',
  },
  agent: {
    unreachable:
      'W tej chwili nie można zapytać aplikacji, która Cię tu przysłała, kim jest. Spróbuj ponownie za chwilę.',
    asks_for: 'Prosi o',
    application: 'Aplikacja',
    blocked: 'Ta aplikacja jest zablokowana',
    blocked_lead: 'Opiekunowie tej usługi ją zablokowali. Nic jej nie udostępniono.',
    from: 'Źródło',
    full: 'Wiele aplikacji czeka już na decyzję. Spróbuj ponownie, gdy część zostanie rozpatrzona.',
    full_day: 'Poprosiłeś dziś o wiele aplikacji. Spróbuj ponownie jutro.',
    full_host:
      'Kilka aplikacji z tego samego hosta czeka już na decyzję. Spróbuj ponownie, gdy część zostanie rozpatrzona.',
    full_person: 'Poprosiłeś już o kilka aplikacji, o których nikt nie zdecydował. Najpierw poczekaj na nie.',
    improper:
      'Aplikacja, która Cię tu skierowała, nie przedstawia się prawidłowo. Powiadom osobę, która ją stworzyła.',
    look_again: 'Sprawdź ponownie',
    many: 'Zbyt wiele próśb czeka',
    not_approved: 'Ta aplikacja nie została zatwierdzona',
    not_approved_lead:
      'Opiekunowie tej usługi zdecydowali inaczej. Zapytaj ich, jeśli uważasz, że powinna być tu używana.',
    not_for_you: 'Nie możesz tu używać tej aplikacji',
    not_for_you_lead:
      '{client} może używać {api} dla określonych osób, a konto, na które jesteś zalogowany, do nich nie należy. Nic nie zostało udostępnione. Zapytaj opiekunów {api}, jeśli tego potrzebujesz; jeśli właśnie przyznali Ci dostęp, zaloguj się ponownie.',
    not_listed: 'Tej aplikacji nie można tu używać',
    not_listed_lead:
      'Tylko aplikacje z określonych hostów mogą prosić o dostęp do tej usługi, a ta do nich nie należy. Nikogo nie pytano i nic nie udostępniono.',
    returns_to: 'Wraca do',
    revoked: 'Tej aplikacji nie można już używać',
    revoked_lead: 'Jej zatwierdzenie zostało cofnięte. Zapytaj opiekunów tej usługi, jeśli jej potrzebujesz.',
    sign_in_again: 'Zaloguj się ponownie',
    suspended: 'Ta aplikacja jest zawieszona',
    suspended_lead: 'Na razie nie można jej tu używać. Spróbuj później lub zapytaj opiekunów tej usługi.',
    waiting: 'Oczekiwanie na zatwierdzenie',
    waiting_lead:
      '{client} prosi o dostęp do {api}, a ktoś z opiekunów musi to najpierw zatwierdzić. Zostali powiadomieni. Zachowaj tę stronę lub zacznij później ponownie z aplikacji: wszystko ruszy dalej, gdy tylko zdecydują.',
  },
};

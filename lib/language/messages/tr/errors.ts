export const errorsTr = {
  errors: {
    another_browser: 'Bağlantı eksik veya başka bir tarayıcıda açıldı. Uygulamaya dönün ve yeniden başlayın.',
    cannot_show: 'Bu sayfayı şu anda gösteremiyoruz. Biraz bekleyin, sonra yeniden yükleyin.',
    elsewhere_or_late:
      'Başka bir tarayıcıda veya on dakikadan önce başlatıldı. Uygulamaya dönün ve yeniden başlayın.',
    expired: 'Bu oturum açma işleminin süresi doldu',
    expired_lead: 'On dakikadan fazla geçti. Uygulamaya dönün ve yeniden başlayın.',
    form: 'Bu form artık geçerli değil',
    form_lead:
      'Başka bir sayfadan veya tarayıcıdan gönderildi ya da o zamandan beri başka biri oturum açtı. Uygulamaya dönün ve yeniden başlayın.',
    link: 'Bu oturum açma bağlantısı çalışmıyor',
    mistyped: 'Adres yanlış yazılmış veya burada olan artık yok.',
    moment: 'Bir saniye, lütfen',
    no_cookies:
      'Başka bir tarayıcıda açıldı veya bu tarayıcı bu sitenin çerezlerini saklamıyor. Çerezlere izin verin, sonra uygulamaya dönün ve yeniden başlayın.',
    no_page: 'Sayfa bulunamadı',
    no_return: 'Bağlantı nereye dönüleceğini söylemiyor. Size veren kişiye bildirin.',
    nothing_here: 'Böyle bir adres yok. Bağlantıyı denetleyin veya size veren kişiye bildirin.',
    not_available: 'Şu anda kullanılamıyor',
    not_opened_so: 'Bu şekilde açılamaz. Uygulamaya dönün ve yeniden başlayın.',
    pushed_request:
      'Bu oturum açma işleminin bağlantısı daha önce kullanılmış, çok eski veya değiştirilmiş. Uygulamaya dönün ve yeniden başlayın.',
    service_unavailable: 'Hizmet şu anda kullanılamıyor. Birazdan yeniden deneyin.',
    sign_out_link: 'Bu oturum kapatma bağlantısı çalışmıyor',
    sign_out_link_lead: 'Kimsenin oturumu kapatılmadı. Uygulamaya dönün ve yeniden deneyin.',
    slow_lead:
      'Tarayıcınızın bunu göndermesi çok uzun sürdü, bu yüzden okunmadı. Geri dönün ve yeniden gönderin.',
    started_elsewhere: 'Bu adres, başka bir yerde başlatılmış bir oturum açma işleminin adımıdır.',
    started_elsewhere_or_late:
      'Bu oturum açma işlemi başka bir yerde veya çok önce başlatıldı. Uygulamaya dönün ve yeniden başlayın.',
    too_much: 'Tarayıcınız çok fazla veri gönderdi',
    too_much_lead:
      'Bunun nedeni genellikle bu alan adındaki diğer web sitelerinin kaydettiği çerezlerdir. Tarayıcınızın ayarlarından bu alan adının çerezlerini silin, ardından uygulamaya dönün ve yeniden başlayın.',
    two_applications: 'Bağlantı, uygulamasını birden fazla kez belirtiyor.',
    two_returns: 'Bağlantı birden fazla dönüş adresi belirtiyor.',
    unknown_application: 'Sizi buraya gönderen uygulama bilinmiyor veya artık kullanılmıyor.',
    unnamed_application: 'Bağlantı hangi uygulamadan geldiğini söylemiyor. Size veren kişiye bildirin.',
    unreadable: 'Bu adres okunamıyor',
    unreadable_lead:
      'Metinde izin verilmeyen bir karakter içeriyor. Denetleyin veya ilk sayfadan yeniden başlayın.',
    unregistered_return: 'Bağlantı, bu uygulama için kayıtlı olmayan bir adrese dönecekti.',
    used_step:
      'Oturum açma işleminin daha önce kullanılmış bir bölümüne geri döndünüz. Buradan devam edebilirsiniz.',
    wrong: 'Bir şeyler ters gitti',
    wrong_lead: 'Bizim tarafımızda bir şeyler ters gitti. İşletmeciye istek kimliğini bildirin.',
  },
  agent: {
    unreachable:
      'Sizi buraya gönderen uygulamaya şu anda kim olduğu sorulamıyor. Biraz sonra tekrar deneyin.',
    asks_for: 'İstediği',
    application: 'Uygulama',
    blocked: 'Bu uygulama engellendi',
    blocked_lead: 'Bu hizmeti yönetenler onu engelledi. Onunla hiçbir şey paylaşılmadı.',
    from: 'Kaynak',
    full: 'Zaten birçok uygulama karar bekliyor. Bazıları karara bağlandığında yeniden deneyin.',
    full_day: 'Bugün birçok uygulama için istekte bulundunuz. Yarın yeniden deneyin.',
    full_host:
      'Aynı sunucudan birkaç uygulama zaten karar bekliyor. Bazıları karara bağlandığında yeniden deneyin.',
    full_person:
      'Henüz kimsenin karar vermediği birkaç uygulama için zaten istekte bulundunuz. Önce onları bekleyin.',
    improper: 'Sizi buraya gönderen uygulama kendini düzgün tanıtmıyor. Uygulamayı yapanlara bildirin.',
    look_again: 'Yeniden bak',
    many: 'Çok fazla istek bekliyor',
    not_approved: 'Bu uygulama onaylanmadı',
    not_approved_lead:
      'Bu hizmeti yönetenler onaylamadı. Burada kullanılması gerektiğini düşünüyorsanız onlara sorun.',
    not_for_you: 'Bu uygulamayı burada kullanamazsınız',
    not_for_you_lead:
      '{client}, {api} hizmetini belirli kişiler için kullanabilir ve oturum açtığınız hesap bunlardan biri değil. Hiçbir şey paylaşılmadı. İhtiyacınız varsa {api} sorumlularına sorun; size az önce erişim verdilerse yeniden oturum açın.',
    not_listed: 'Bu uygulama burada kullanılamaz',
    not_listed_lead:
      'Yalnızca belirli sunucuların uygulamaları bu hizmete erişim isteyebilir ve bu onlardan biri değil. Kimseye sorulmadı ve hiçbir şey paylaşılmadı.',
    returns_to: 'Dönüş yeri',
    revoked: 'Bu uygulama artık kullanılamaz',
    revoked_lead: 'Onayı iptal edildi. İhtiyacınız varsa bu hizmeti yönetenlere sorun.',
    sign_in_again: 'Yeniden oturum aç',
    suspended: 'Bu uygulama askıya alındı',
    suspended_lead:
      'Şimdilik burada kullanılamaz. Daha sonra yeniden deneyin veya bu hizmeti yönetenlere sorun.',
    waiting: 'Onay bekleniyor',
    waiting_lead:
      '{client}, {api} erişimi istiyor ve bunu önce onu yönetenlerden birinin onaylaması gerekiyor. Kendilerine haber verildi. Bu sayfayı açık tutun veya daha sonra uygulamadan yeniden başlayın: karar verdiklerinde devam edebilirsiniz.',
  },
};

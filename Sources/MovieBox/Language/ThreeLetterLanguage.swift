/// Three-letter languages. The type contains the ISO 639-2 codes of languages that ``TwoLetterLanguage`` does not
/// contain, the macrolanguages, and English names of languages in films.
enum ThreeLetterLanguage {
  /// Whether `code` is an ISO 639-2 code of a language without a two-letter code.
  static func isISO639_2(_ code: String) -> Bool { codes.contains(code) || isForPrivateUse(code) }

  /// Whether the code is for private use: `qaa` to `qtz` (RFC 5646, 2.2.1).
  static func isForPrivateUse(_ code: String) -> Bool { code.utf8.count == 3 && ("qaa"..."qtz").contains(code) }

  /// Returns the ISO 639-2/T code of the macrolanguage to which `code` belongs, or `nil` if it belongs to none.
  static func macrolanguage(of code: String) -> String? { macrolanguagesByMember[code] }

  /// Returns the English name, or `nil` if the table does not contain the code.
  static func englishName(_ code: String) -> String? { names[code] }

  private static let codes = words(
    """
    ace ach ada ady afa afh ain akk ale alg alt ang anp apa arc arn arp art arw ast ath aus awa bad bai bal ban
    bas bat bej bem ber bho bik bin bla bnt bra btk bua bug byn cad cai car cau ceb cel chb chg chk chm chn cho
    chp chr chy cmc cnr cop cpe cpf cpp crh crp csb cus dak dar day del den dgr din doi dra dsb dua dum dyu efi
    egy eka elx enm ewo fan fat fil fiu fon frm fro frr frs fur gaa gay gba gem gez gil gmh goh gon gor got grb
    grc gsw gwi hai haw hil him hit hmn hsb hup iba ijo ilo inc ine inh ira iro jbo jpr jrb kaa kab kac kam kar
    kaw kbd kha khi kho kmb kok kos kpe krc krl kro kru kum kut lad lah lam lez lol loz lua lui lun luo lus mad
    mag mai mak man map mas mdf mdr men mga mic min mis mkh mnc mni mno moh mos mul mun mus mwl mwr myn myv nah
    nai nap nds new nia nic niu nog non nqo nso nub nwc nym nyn nyo nzi osa ota oto paa pag pal pam pap pau peo
    phi phn pon pra pro raj rap rar roa rom rup sad sah sai sal sam sas sat scn sco sel sem sga sgn shn sid sio
    sit sla sma smi smj smn sms snk sog son srn srr ssa suk sus sux syc syr tai tem ter tet tig tiv tkl tlh tli
    tmh tog tpi tsi tum tup tut tvl tyv udm uga umb und vai vot wak wal war was wen xal yao yap ypk zap zbl zen
    zgh znd zun zxx zza
    """)

  private static let macrolanguagesByMember = Dictionary(
    members.flatMap { enclosing, members in words(members).map { ($0, enclosing) } }
  ) { first, _ in first }

  private static func words(_ text: String) -> Set<String> {
    Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
  }

  /// Macrolanguages of ISO 639-2. Each macrolanguage is listed with the members that ISO 639-3 contains and ISO 639-2
  /// does not contain. Sign languages are included as well, because ISO 639-2 has only one code for all of them.
  private static let members: [(enclosing: String, members: String)] = [
    (
      "ara",
      """
      aao abh abv acm acq acw acx acy adf aeb aec afb apc apd arb arq ars ary arz auz avl ayh ayl ayn ayp
      pga shu ssh
      """
    ),
    ("aym", "ayc ayr"),
    ("aze", "azb azj"),
    ("bal", "bcc bgn bgp"),
    ("bik", "bcl bln bto cts fbl lbl rbl ubl"),
    ("bua", "bxm bxr bxu"),
    ("chm", "mhr mrj"),
    ("cre", "crj crk crl crm csw cwd"),
    ("del", "umu unm"),
    ("den", "scs xsl"),
    ("din", "dib dik dip diw dks"),
    ("doi", "dgo xnr"),
    ("est", "ekk vro"),
    ("fas", "pes prs"),
    ("ful", "ffm fub fuc fue fuf fuh fui fuq fuv"),
    ("gba", "bdt gbp gbq gmm gso gya"),
    ("gon", "esg gno wsg"),
    ("grb", "gbo gec grj grv gry"),
    ("grn", "gnw gug gui gun nhd"),
    ("hai", "hax hdn"),
    (
      "hmn",
      """
      cqd hea hma hmc hmd hme hmg hmh hmi hmj hml hmm hmp hmq hms hmw hmy hmz hnj hrm huj mmr muq mww sfm
      """
    ),
    ("iku", "ike ikt"),
    ("ipk", "esi esk"),
    ("jrb", "aju jye yhd yud"),
    ("kau", "kby knc krt"),
    ("kok", "gom knn"),
    ("kom", "koi kpv"),
    ("kon", "kng kwy ldi"),
    ("kpe", "gkp xpe"),
    ("kur", "ckb kmr sdh"),
    ("lah", "hnd hno jat phr pnb skr xhe"),
    ("lav", "ltg lvs"),
    ("man", "emk mku mlq mnk msc mwk"),
    ("mlg", "bhr bmm bzc msh plt skg tdx tkg txy xmv xmw"),
    ("mon", "khk mvf"),
    (
      "msa",
      """
      bjn btj bve bvu coa dup hji jak jax kvb kvr kxd lce lcf liw max meo mfa mfb mqg msi mui orn ors pel
      pse tmw urk vkk vkt xmm zlm zmi zsm
      """
    ),
    ("mwr", "dhd mtr mve rwr swv wry"),
    ("nep", "dty npi"),
    ("oji", "ciw ojb ojc ojg ojs ojw otw"),
    ("ori", "ory spv"),
    ("orm", "gax gaz hae orc"),
    ("pus", "pbt pbu pst"),
    (
      "que",
      """
      qub qud quf qug quh quk qul qup qur qus quw qux quy quz qva qvc qve qvh qvi qvj qvl qvm qvn qvo qvp
      qvs qvw qvz qwa qwc qwh qws qxa qxc qxh qxl qxn qxo qxp qxr qxt qxu qxw
      """
    ),
    ("raj", "gda gju hoj mup wbr"),
    ("rom", "rmc rmf rml rmn rmo rmw rmy"),
    ("sqi", "aae aat aln als"),
    ("srd", "sdc sdn src sro"),
    ("swa", "swc swh"),
    ("syr", "aii cld"),
    ("tmh", "taq thv thz ttq"),
    ("uzb", "uzn uzs"),
    ("yid", "ydd yih"),
    (
      "zap",
      """
      zaa zab zac zad zae zaf zai zam zao zaq zar zas zat zav zaw zax zca zoo zpa zpb zpc zpd zpe zpf zpg
      zph zpi zpj zpk zpl zpm zpn zpo zpp zpq zpr zps zpt zpu zpv zpw zpx zpy zpz zsr zte ztg ztl ztm ztn
      ztp ztq zts ztt ztu ztx zty
      """
    ),
    ("zha", "zch zeh zgb zgm zgn zhd zhn zlj zln zlq zqe zyb zyg zyj zyn zzj"),
    ("zho", "cdo cjy cmn cnp cpx csp czh czo gan hak hsn lzh mnp nan wuu yue"),
    ("zza", "diq kiu"),
    (
      "sgn",
      """
      ads aed ase asf asq bfi bvl bzs cse csl csq dse dsl eso fse fsl gsg gss hsh inl ise isg jsl kvk lls
      mfs nsl nzs psr rsl sfb sgg slf ssp ssr swl tsm tss ukl vgt
      """
    ),
  ]

  private static let names: [String: String] = [
    "ase": "American Sign Language",
    "ast": "Asturian",
    "bfi": "British Sign Language",
    "ceb": "Cebuano",
    "chr": "Cherokee",
    "ckb": "Central Kurdish",
    "cmn": "Mandarin Chinese",
    "cop": "Coptic",
    "fil": "Filipino",
    "grc": "Ancient Greek",
    "gsw": "Swiss German",
    "hak": "Hakka Chinese",
    "haw": "Hawaiian",
    "hmn": "Hmong",
    "hsn": "Xiang Chinese",
    "kmr": "Northern Kurdish",
    "kok": "Konkani",
    "mai": "Maithili",
    "mis": "Uncoded language",
    "mni": "Manipuri",
    "mul": "Multiple languages",
    "nan": "Min Nan Chinese",
    "nap": "Neapolitan",
    "nds": "Low German",
    "pnb": "Western Punjabi",
    "prs": "Dari",
    "scn": "Sicilian",
    "sco": "Scots",
    "sgn": "Sign language",
    "syr": "Syriac",
    "tlh": "Klingon",
    "und": "Undetermined",
    "wuu": "Wu Chinese",
    "yap": "Yapese",
    "yue": "Cantonese",
    "zxx": "No linguistic content",
  ]
}

"""The topics of the synthetic web and the English they are written in, by hand.

Each topic has *core* words, which anyone would connect with its name; *jargon*, which insiders use and which lies far
from the name, so that a crawler has to learn that it pays; and *shared* words, which mean something else in another
topic. The keywords are what a person would type to look for the topic: a few of the core words and no more.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TopicVocabulary:
    """One topic: its name, what a person types to find it, and its vocabulary."""

    name: str
    keywords: tuple[str, ...]
    core: tuple[str, ...]
    jargon: tuple[str, ...]
    shared: tuple[str, ...]


def _topic(name: str, *, keywords: str, core: str, jargon: str, shared: str) -> TopicVocabulary:
    return TopicVocabulary(
        name, tuple(keywords.split()), tuple(core.split()), tuple(jargon.split()), tuple(shared.split())
    )


TOPICS: tuple[TopicVocabulary, ...] = (
    _topic(
        "geology",
        keywords="geology rock mineral fossil",
        core="""geology rock mineral fossil crystal granite basalt limestone sandstone volcano lava magma
        earthquake sediment quartz geologist erosion tectonic crust mantle canyon glacier boulder outcrop
        mountain marble slate quarry cavern shale eruption""",
        jargon="""schist gneiss feldspar mica olivine pyroxene strata stratigraphy subduction orogeny
        anticline syncline moraine drumlin esker karst stalactite trilobite ammonite cambrian jurassic permian
        devonian hornfels breccia conglomerate obsidian pumice tuff ignimbrite caldera batholith dike sill
        foliation cleavage lithology metamorphism unconformity graben isostasy borehole seismograph facies
        turbidite""",
        shared="plate bed fault fold vein core column intrusion trap lens relief",
    ),
    _topic(
        "cooking",
        keywords="cooking recipe kitchen food",
        core="""cooking recipe kitchen food chef oven soup sauce butter flour garlic onion bread dinner
        cheese chicken vegetable spice meal bake roast dish flavour salad pastry dessert sugar cream potato
        tomato boil""",
        jargon="""roux julienne braise deglaze simmer blanch saute reduction velouté bechamel mirepoix bouquet
        confit brine marinade zest knead proofing sourdough crumb caramelise temper ganache meringue custard
        shallot thyme cardamom cumin turmeric paprika risotto ragout casserole skillet saucepan whisk colander
        mandoline poach emulsion gluten umami broth drippings""",
        shared="stock season leaves plate fold rack grill range knife serve batter",
    ),
    _topic(
        "astronomy",
        keywords="astronomy star planet telescope",
        core="""astronomy star planet telescope galaxy moon orbit comet universe nebula astronomer solar
        eclipse observatory asteroid constellation sky space cosmic meteor supernova mars jupiter saturn venus
        lunar starlight spacecraft milky hole night""",
        jargon="""redshift parallax perihelion aphelion ecliptic declination azimuth photometry spectroscopy
        quasar pulsar magnetar accretion corona chromosphere parsec albedo occultation ephemeris cepheid
        exoplanet kuiper oort barycentre lagrange collimation refractor dobsonian eyepiece seeing airglow
        zodiacal perturbation nucleosynthesis neutrino metallicity isochrone globular bolide regolith apogee
        perigee syzygy libration""",
        shared="transit magnitude mount field disc cluster dwarf mass shadow mirror ring",
    ),
    _topic(
        "football",
        keywords="football goal team league",
        core="""football goal team league player match coach stadium striker goalkeeper penalty referee
        champion club midfielder defender fans tournament kick squad season score trophy cup transfer derby
        winger captain half scorer supporters""",
        jargon="""offside nutmeg equaliser crossbar dribble tackle volley header playmaker sweeper wingback
        relegation promotion touchline dugout substitute stoppage hattrick aggregate fixture catenaccio
        pressing counterattack throw backheel bicycle corner overlap clearance byline booking caution
        suspension fullback lineup formation kickoff shootout clean sheet brace screamer tifo terrace gaffer
        debutant""",
        shared="pitch pass cross bench wall net draw mark box wing bar",
    ),
    _topic(
        "opera",
        keywords="opera music singer orchestra",
        core="""opera music singer orchestra soprano tenor conductor symphony concerto violin composer piano
        concert melody aria choir baritone stage ballet cello chorus overture song performance voice mozart
        verdi audience musician theatre harmony""",
        jargon="""libretto leitmotif coloratura bel canto recitative cadenza legato staccato vibrato tessitura
        mezzo countertenor cavatina cabaletta ostinato pizzicato arpeggio fermata crescendo diminuendo adagio
        allegro andante scherzo rondo fugue counterpoint continuo harpsichord oboe bassoon timpani viola
        clarinet ensemble intermezzo prima donna surtitles répétiteur encore prompter dramaturge verismo
        singspiel""",
        shared="score key pitch bow house scale movement bridge bar note season",
    ),
    _topic(
        "gardening",
        keywords="gardening plants flowers garden",
        core="""gardening plants flowers garden soil seeds lawn roses vegetable compost tree shrub gardener
        greenhouse watering herbs pruning weeds blossom bulbs tulip hedge spade orchard leaf planting bloom
        fern ivy grass sunflower""",
        jargon="""mulch perennial annual biennial tilth loam humus vermiculite perlite germination cotyledon
        hardening deadheading grafting scion rootstock espalier pergola trellis cloche coldframe propagation
        stolon rhizome tuber corm aphid slug blight mildew nitrogen potash secateurs dibber hoe trowel topsoil
        bonemeal heliotrope hellebore clematis wisteria lavender peony dahlia hosta""",
        shared="bed plot border root pot cutting stock bark runner leader fork",
    ),
    _topic(
        "oncology",
        keywords="cancer tumour treatment patients",
        core="""cancer tumour treatment patients oncology chemotherapy hospital doctor disease medicine
        diagnosis therapy radiation breast lung leukaemia surgery clinical drug symptoms cells nurse biopsy
        health survival screening tumours prostate melanoma physician medical""",
        jargon="""metastasis carcinoma sarcoma lymphoma myeloma adenoma histology cytology oncogene apoptosis
        angiogenesis neoplasm staging remission relapse palliative adjuvant cisplatin paclitaxel tamoxifen
        immunotherapy checkpoint monoclonal antibody biomarker receptor mutation genome sequencing pathologist
        lesion margin lymph marrow neutropenia cachexia dosimetry brachytherapy fraction placebo randomised
        cohort toxicity mastectomy resection infusion port""",
        shared="trial stage node growth bed mass culture scan course agent colony",
    ),
    _topic(
        "sailing",
        keywords="sailing boat yacht sea",
        core="""sailing boat yacht sea wind sail harbour sailor ship anchor ocean captain regatta voyage
        island deck waves crew coast marina rudder mast hull navigation compass storm cruise port dinghy tide
        vessel""",
        jargon="""spinnaker genoa halyard mainsheet tiller jib boom gybe tack leeward windward starboard keel
        centreboard luff leech shackle cleat winch fairlead bowline reef furling catamaran trimaran ketch
        sloop schooner yawl cutter topsail gunwale transom bilge mooring buoy fathom knot fetch doldrums
        barometer chartplotter lifeline stanchion forestay backstay spreader vang telltale""",
        shared="bow stern sheet stay course current bank bridge log watch line",
    ),
    _topic(
        "chess",
        keywords="chess board pawn grandmaster",
        core="""chess board pawn grandmaster queen king knight bishop rook checkmate player tournament
        opening endgame champion castling move opponent strategy kasparov carlsen pieces square tactics puzzle
        check fischer game master rating match""",
        jargon="""zugzwang zwischenzug fianchetto gambit sicilian caro najdorf grunfeld nimzo benoni catalan
        scotch stalemate underpromotion en passant skewer prophylaxis outpost tempo initiative middlegame
        opposition triangulation blockade sacrifice combination desperado motif annotation engine elo swiss
        blitz bullet increment adjournment flag theory novelty transposition kingside queenside isolani
        battery""",
        shared="pin fork rank file exchange clock draw column fortress open position",
    ),
    _topic(
        "photography",
        keywords="photography camera photo lens",
        core="""photography camera photo lens photographer picture shutter film portrait image flash tripod
        digital light landscape snapshot zoom colour studio print negative album darkroom focus exposure
        photographs nikon canon kodak polaroid gallery""",
        jargon="""aperture bokeh iso histogram vignette bracketing hyperfocal rangefinder telephoto macro
        fisheye diffuser softbox reflector strobe backlight rimlight dodging burning fixer stopbath enlarger
        emulsion grain halide daguerreotype collodion cyanotype monochrome saturation gamut raw demosaic
        sensor crop viewfinder mirrorless autofocus chromatic aberration distortion tonality highlights
        shadows composition contact""",
        shared="frame stop field depth subject plate mount shoot contrast press filter",
    ),
    _topic(
        "poetry",
        keywords="poetry poem verse poet",
        core="""poetry poem verse poet rhyme sonnet stanza literature lines lyric writer words ballad
        metaphor anthology haiku literary reading muse ode epic shakespeare wordsworth keats romantic beauty
        imagination language metre elegy shelley""",
        jargon="""iambic pentameter trochee dactyl anapest spondee enjambment caesura villanelle sestina terza
        rima couplet quatrain tercet alliteration assonance consonance onomatopoeia synecdoche metonymy simile
        apostrophe refrain envoi blank dramatic monologue confessional imagist modernist laureate chapbook
        broadside recitation slam prosody scansion volta canto eclogue pastoral epigram ghazal tanka limerick""",
        shared="foot line measure free form figure voice feet turn collection beat",
    ),
    _topic(
        "finance",
        keywords="finance investment market money",
        core="""finance investment market money bank stocks investor shares fund economy dollar profit
        trading interest loan debt credit price tax budget broker capital savings pension mortgage inflation
        insurance currency wealth banker earnings""",
        jargon="""dividend equity derivative option futures swap hedge arbitrage liquidity volatility yield
        coupon maturity duration convexity collateral margin leverage securitisation tranche underwriting
        prospectus audit ledger accrual amortisation depreciation goodwill solvency covenant rating benchmark
        index portfolio diversification drawdown alpha beta ticker bullish bearish repo libor treasury gilt
        escrow fiduciary""",
        shared="stock bond exchange bill return short position note security spread paper",
    ),
    _topic(
        "railways",
        keywords="railway train station locomotive",
        core="""railway train station locomotive track rail steam engine passenger carriage platform freight
        tunnel driver timetable wagon ticket viaduct railroad conductor commuter express line diesel journey
        tram metro rails engineer depot signalman""",
        jargon="""bogie pantograph catenary turnout semaphore interlocking sleeper fishplate flange gauge
        marshalling hump siding shunter buffer coupling tender boiler firebox smokebox piston footplate
        fireman loading axle tyre superelevation cant railcar multiple headway timetabled branch junction
        terminus signalbox level crossing trackbed narrowgauge funicular rack tilting dispatcher tamping
        electrification""",
        shared="points bed bridge plate switch signal coach stock frog check works",
    ),
    _topic(
        "beekeeping",
        keywords="beekeeping bees honey hive",
        core="""beekeeping bees honey hive beekeeper bee queen swarm nectar pollen wax honeycomb colony
        insects pollination worker apiary sting flowers bumblebee larvae hives buzzing wings foraging clover
        beeswax insect mead pollinator drones""",
        jargon="""langstroth warré skep propolis brood superseding requeening foundation extractor uncapping
        smoker varroa mite foulbrood nosema absconding waggle trophallaxis spermatheca instar capped royal
        jelly nurse excluder bottomboard overwintering fondant syrup oxalic formic drifting robbing laying
        eggs splitting nucleus apiarist melliferous heather rapeseed crystallise refractometer viscosity
        tanging""",
        shared="frame super cell comb drone cluster dance veil strain box stock",
    ),
    _topic(
        "architecture",
        keywords="architecture building architect design",
        core="""architecture building architect design house tower cathedral facade construction palace
        brick concrete skyscraper dome roof window church gothic baroque monument temple museum interior
        structure urban castle stairs renovation wall ceiling modernism""",
        jargon="""cantilever buttress pilaster architrave entablature cornice pediment portico colonnade
        cupola oculus clerestory transept apse nave narthex spandrel tracery mullion corbel voussoir
        pendentive rotunda loggia fenestration cladding truss joist lintel rafter gable mansard dormer parapet
        balustrade atrium brutalism bauhaus palladian massing plinth rustication parti elevation axonometric""",
        shared="plan arch column order key vault bay section frame bridge relief",
    ),
    _topic(
        "weaving",
        keywords="weaving textile fabric cloth",
        core="""weaving textile fabric cloth loom wool cotton silk yarn thread weaver tapestry linen dye
        spinning pattern carpet rug garment fibre cloths knitting embroidery woven fabrics sewing blanket
        textiles fleece lace tartan""",
        jargon="""warp weft heddle shuttle treadle selvedge bobbin skein niddy carding roving distaff whorl
        mordant indigo madder weld cochineal ikat batik twill satin damask brocade jacquard dobby sley reed
        tabby herringbone houndstooth overshot sett ply worsted merino mohair alpaca felting fulling calico
        muslin chenille crepe organza shibori scouring""",
        shared="beam harness pick nap bolt float shed spindle draft tension web",
    ),
    _topic(
        "cycling",
        keywords="cycling bicycle bike rider",
        core="""cycling bicycle bike rider wheel race pedal cyclist helmet tour tyre road mountain saddle
        handlebar brakes peloton speed ride trail velodrome climb chain sprint riders bikes tandem commuting
        route pump racing""",
        jargon="""derailleur cassette crankset chainring cadence drafting domestique echelon breakaway
        soigneur musette bidon lanterne palmares rouleur puncheur grimpeur clincher tubular presta schrader
        hub spokes freewheel headset bottom bracket seatpost dropouts wattage threshold lactate criterium
        keirin madison omnium singletrack hardtail suspension panniers randonneur audax bonk fixie cyclocross""",
        shared="frame fork stage block gear stem drop crank jersey attack bar",
    ),
    _topic(
        "pottery",
        keywords="pottery ceramics clay glaze",
        core="""pottery ceramics clay glaze potter kiln porcelain vase bowl wheel ceramic stoneware
        earthenware pots craft teapot tile jar handmade terracotta mug studio firing vessel decorated
        sculpture artisan china jug plates pitcher""",
        jargon="""bisque raku slipware sgraffito majolica faience celadon tenmoku shino crazing cobalt ash
        feldspathic kaolin ballclay grog wedging throwing coiling slab burnishing leatherhard greenware cone
        pyrometric saggar anagama reduction oxidation salting engobe underglaze lustre spout foot trimming
        banding deflocculant frit stilts shard biscuit turning pugmill vitrified""",
        shared="slip body batch bat rib cup bone lug handle blank fire",
    ),
    _topic(
        "birdwatching",
        keywords="birds birdwatching species nest",
        core="""birds birdwatching species nest bird feathers binoculars eagle owl robin sparrow migration
        ornithology habitat wildlife swan gull heron songbird hawk wings wetland duck finch nature egg
        woodpecker falcon swallow flock beak""",
        jargon="""passerine raptor wader plumage moult fledgling juvenile supercilium primaries coverts
        wingbar rump lores mandible gizzard brooding clutch roost lek irruption vagrant twitcher lifer jizz
        ringing mistnet hide passage warbler pipit wagtail bunting shrike dunlin godwit curlew sandpiper skua
        petrel shearwater gannet guillemot harrier kestrel osprey bittern""",
        shared="bill crane perch range call band crown bank kite swift watch",
    ),
    _topic(
        "linguistics",
        keywords="linguistics language grammar words",
        core="""linguistics language grammar words linguist syntax vowel consonant dialect verb noun speech
        sentence pronunciation translation meaning vocabulary phonetics accent spelling alphabet latin
        speakers dictionary bilingual tongue writing english greek adjective communication""",
        jargon="""phoneme morpheme allophone clitic ergative accusative genitive dative ablative aspect
        evidential agglutinative inflection declension conjugation umlaut ablaut isogloss creole pidgin
        diglossia pragmatics deixis anaphora implicature semantics lexeme lemma etymology cognate
        reconstruction fricative plosive affricate glottal velar palatal uvular diphthong schwa prosodic
        diacritic corpus concordance parsing clause predicate""",
        shared="tense case stress root stem voice subject mood agent branch marker",
    ),
)  # fmt: skip

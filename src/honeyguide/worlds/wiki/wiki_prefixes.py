"""Prefixes of links that lead to other wikis: a dump does not list them, and without a list they read like articles."""

from __future__ import annotations

from typing import Final

_LANGUAGES: Final = """
    aa ab ace ady af ak als am an ang ar arc ary arz as ast atj av ay az azb ba ban bar bat-smg bcl be be-tarask
    be-x-old bg bh bi bjn bm bn bo bpy br bs bug bxr ca cbk-zam cdo ce ceb ch cho chr chy ckb co cr crh cs csb
    cu cv cy da de din diq dsb dty dv dz ee el eml en eo es et eu ext fa ff fi fiu-vro fj fo fr frp frr fur fy
    ga gag gan gd gl glk gn gom gor got gu gv ha hak haw he hi hif ho hr hsb ht hu hy hyw hz ia id ie ig ii ik
    ilo inh io is it iu ja jam jbo jv ka kaa kab kbd kbp kg ki kj kk kl km kn ko koi kr krc ks ksh ku kv kw ky
    la lad lb lbe lez lfn lg li lij lmo ln lo lrc lt ltg lv mai map-bms mdf mg mh mhr mi min mk ml mn mo mr mrj
    ms mt mus mwl my myv mzn na nah nap nb nds nds-nl ne new ng nl nn no nov nrm nso nv ny oc olo om or os pa
    pag pam pap pcd pdc pfl pi pih pl pms pnb pnt ps pt qu rm rmy rn ro roa-rup roa-tara ru rue rw sa sah sat sc
    scn sco sd se sg sh shn si simple sk sl sm sn so sq sr srn ss st stq su sv sw szl ta tcy te tet tg th ti tk
    tl tlh tn to tokipona tpi tr ts tt tum tw ty tyv udm ug uk ur uz ve vec vep vi vls vo wa war wo wuu xal xh
    xmf yi yo za zea zh zh-cfr zh-classical zh-cn zh-min-nan zh-tw zh-yue zu
"""
_SISTER_PROJECTS: Final = """
    b bugzilla c commons d doi foundation google imdb jargon m mail mediazilla memoryalpha meatball meta
    metawikipedia mw n nost q rev s sep11 species testwiki v voy w wikia wikibooks wikidata wikimedia wikinews
    wikipedia wikiquote wikisource wikispecies wikiversity wikivoyage wikt wiktionary wmf
"""

LANGUAGES: Final = frozenset(_LANGUAGES.split())
SISTER_PROJECTS: Final = frozenset(_SISTER_PROJECTS.split())
"""The other projects of the Wikimedia Foundation, and the commonest other wikis."""
